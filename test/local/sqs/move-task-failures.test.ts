import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import { roleCaller } from '../../../local/kernel/caller';
import { arn, RedriveFixture } from './move-tasks-fixture';
import { ADMIN, errorOf, START_MS } from './sqs-fixture';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`);

/** @see aws-semantics section 9 */
describe('a move task fails', () => {
  const failed = (reason: string, moved: number) => ({
    Status: 'FAILED',
    FailureReason: reason,
    ApproximateNumberOfMessagesMoved: moved,
  });

  it('if the source queue of a message was deleted', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'order');
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: aws.orders });
    aws.start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject(failed('AWS.SimpleQueueService.NonExistentQueue', 0));
  });

  it('if its source is deleted, which frees its place in the account', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, ...numbered(10));
    aws.start({ MaxNumberOfMessagesPerSecond: 1 });
    await aws.goTo(1);
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: aws.dlq });
    await aws.goTo(2);
    expect(aws.happened('sqs.move-task-ended')).toMatchObject([
      { status: 'FAILED', messagesMoved: 2, failureReason: 'AWS.SimpleQueueService.NonExistentQueue' },
    ]);
    expect(errorOf(() => aws.list())).toMatchObject({ code: 'ResourceNotFoundException', status: 404 });
  });

  it('at a message that is too long for its destination', async () => {
    const aws = new RedriveFixture();
    aws.createQueue('small', { MaximumMessageSize: '1024' });
    aws.deadLetter(aws.orders, 'x'.repeat(1024), 'x'.repeat(1025));
    aws.start({ DestinationArn: arn('small') });
    await aws.goTo(1);
    expect(aws.task).toMatchObject(failed('InvalidParameterValue', 1));
    expect(aws.depth(aws.dlq)).toBe(1);
  });

  it('but not at a server error of SQS, which it retries until it is over', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'x');
    aws.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: START_MS + 12_000 });
    aws.start();
    await aws.goTo(60);
    expect(aws.task).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 });
    expect(aws.movedAt()).toEqual([15]);
    expect(aws.happened('sqs.refused')).toHaveLength(3);
  });
});

describe('a move task on a slow SQS', () => {
  it.each([
    ['the destination', { resource: arn('orders') }, [0, 60, 120], 180],
    ['both queues: receive, send and delete', {}, [0, 180, 360], 540],
  ])('waits for the answer to %s before its next message', async (_, where, movedAt, overAt) => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'a', 'b', 'c');
    aws.faults.set({ service: 'sqs', latencyMs: 60_000, ...where });
    aws.start();
    await aws.timeline.runUntilIdle();
    expect(aws.movedAt()).toEqual(movedAt);
    expect(aws.task.Status).toBe('COMPLETED');
    expect(aws.seconds).toBe(overAt);
  });

  it.each([
    ['fails when the refusal has come', { httpStatus: 400 }, 'FAILED', 7],
    ['tries again so long after a server error has come', { untilMs: START_MS + 1 }, 'COMPLETED', 12.002],
  ])('%s', async (_, fault, Status, overAt) => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'a');
    aws.faults.set({ service: 'sqs', action: 'SendMessage', code: 'Broken', latencyMs: 7_000, ...fault });
    aws.start();
    await aws.goTo(overAt - 1);
    expect(aws.task.Status).toBe('RUNNING');
    await aws.goTo(overAt + 1);
    expect(aws.task.Status).toBe(Status);
    expect(aws.happened('sqs.move-task-ended').map(({ atMs }) => (atMs - START_MS) / 1000)).toEqual([overAt]);
  });
});

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html */
describe('the permissions of a move task', () => {
  const ROLE = roleCaller('arn:aws:iam::123456789012:role/Redrive');

  function denying(action: string, resource: string, from = 0) {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, ...numbered(4));
    aws.decideAccess = request => {
      const isRole =
        request.caller.principal === ROLE.principal && request.action === action && request.resource === arn(resource);
      return { allowed: !(isRole && aws.seconds >= from), reason: 'the test decides' };
    };
    const start = () =>
      aws.sqs.call('StartMessageMoveTask', ROLE, { SourceArn: arn('dlq'), MaxNumberOfMessagesPerSecond: 1 });
    return { aws, start };
  }

  it.each([
    ['sqs:SendMessage', 'orders'],
    ['sqs:ReceiveMessage', 'dlq'],
    ['sqs:DeleteMessage', 'dlq'],
  ])('are the caller’s, and checked while it runs: it fails when %s on %s is revoked', async (action, resource) => {
    const { aws, start } = denying(action, resource, 2);
    start();
    await aws.goTo(10);
    expect(aws.task).toMatchObject({
      Status: 'FAILED',
      FailureReason: 'AccessDenied',
      ApproximateNumberOfMessagesMoved: 2,
    });
    expect(aws.depth(aws.dlq)).toBe(2);
  });

  /**
   * "If either the dead-letter queue or the original source queue are encrypted, kms:Decrypt for any KMS key that has
   * been used to encrypt the messages is also required."
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
   */
  it('include Decrypt with the key of the original source, until the message is moved', async () => {
    const aws = new RedriveFixture();
    const Attributes = { KmsMasterKeyId: 'alias/orders' };
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: aws.orders, Attributes });
    aws.deadLetter(aws.orders, 'x');
    const refuse = (key: string) => {
      aws.decideKey = keyId => ({ allowed: keyId !== key, reason: 'no grant' });
    };
    refuse('alias/orders');
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.goTo(1);
    expect(aws.task).toMatchObject({ Status: 'FAILED', FailureReason: 'KMS.AccessDeniedException' });
    refuse('none');
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.goTo(2);
    refuse('alias/orders');
    expect(aws.receive(aws.other)).toHaveLength(1);
  });

  it('to cancel include those on its source, and to list GetQueueAttributes', () => {
    const { aws } = denying('sqs:ReceiveMessage', 'dlq');
    const TaskHandle = aws.start();
    expect(errorOf(() => aws.sqs.call('CancelMessageMoveTask', ROLE, { TaskHandle })).code).toBe('AccessDenied');
    expect(aws.sqs.call('ListMessageMoveTasks', ROLE, { SourceArn: arn('dlq') }).Results).toHaveLength(1);
    const other = denying('sqs:GetQueueAttributes', 'dlq').aws;
    const list = () => other.sqs.call('ListMessageMoveTasks', ROLE, { SourceArn: arn('dlq') });
    expect(errorOf(list).code).toBe('AccessDenied');
  });
});

const SOURCES = ['orders', 'returns', 'dlq'] as const;

const step = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    to: fc.constantFrom(...SOURCES),
    delaySeconds: fc.nat({ max: 3 }),
  }),
  fc.record({
    kind: fc.constant('receive' as const),
    from: fc.constantFrom(...SOURCES),
    timeout: fc.nat({ max: 5 }),
  }),
  fc.record({
    kind: fc.constant('fail' as const),
    of: fc.constantFrom('orders', 'returns'),
    count: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('start' as const),
    destination: fc.option(fc.constantFrom('other' as const, 'orders' as const)),
    rate: fc.option(fc.constantFrom(1, 2, 3, 500)),
  }),
  fc.record({
    kind: fc.constant('copy' as const),
    of: fc.nat(),
    to: fc.constantFrom('orders' as const, 'returns' as const, 'other' as const),
  }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({
    kind: fc.constant('fault' as const),
    ms: fc.integer({ min: 1, max: 4_000 }),
    latencyMs: fc.option(fc.nat({ max: 3_000 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('forbid' as const), is: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Does one thing, and answers the bodies it has sent; that AWS may refuse it is part of the game. */
async function play(aws: RedriveFixture, it: Step, body: string): Promise<readonly string[]> {
  const sent: string[] = [];
  try {
    if (it.kind === 'send') {
      if (aws.isFifo) aws.sendTo(aws[it.to], `group-${it.delaySeconds}`, body);
      else aws.send(aws[it.to], body, it.delaySeconds);
      sent.push(body);
    } else if (it.kind === 'fail') {
      for (let i = 0; i < it.count; i += 1) {
        const one = `${body}.${i}`;
        if (aws.isFifo) aws.sendTo(aws[it.of], one, one);
        else aws.send(aws[it.of], one);
        sent.push(one);
        aws.receive(aws[it.of], 0);
        aws.receive(aws[it.of], 0);
      }
    } else if (it.kind === 'copy') {
      if (copyByHand(aws, it, body)) sent.push(body);
    } else if (it.kind === 'receive') aws.receive(aws[it.from], it.timeout);
    else if (it.kind === 'start') {
      aws.start({
        ...(it.destination !== null && { DestinationArn: aws.arn(it.destination) }),
        ...(it.rate !== null && { MaxNumberOfMessagesPerSecond: it.rate }),
      });
    } else if (it.kind === 'cancel') aws.cancel(aws.task.TaskHandle ?? 'none');
    else if (it.kind === 'fault') {
      aws.faults.set({ service: 'sqs', untilMs: aws.timeline.nowMs + it.ms, latencyMs: it.latencyMs });
    } else if (it.kind === 'forbid') {
      aws.decideAccess = ({ action }) => ({ allowed: !(it.is && action === 'sqs:SendMessage'), reason: 'the test' });
    } else await aws.timeline.advanceTo(aws.timeline.nowMs + it.ms);
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Error && error.message === 'there is no task')) throw error;
  }
  return sent;
}

/**
 * Sends what an operator who copies dead letters by hand would: between FIFO queues under the old message's id, which is also
 * what a task has for the message it moves. Answers whether it was taken in.
 */
function copyByHand(aws: RedriveFixture, { of, to }: Extract<Step, { kind: 'copy' }>, body: string): boolean {
  const messages = aws.happened('sqs.dead-lettered');
  const sent = messages[of % Math.max(messages.length, 1)];
  if (!sent) return false;
  if (aws.isFifo) aws.sendTo(aws[to], body, body, sent.messageId);
  else aws.send(aws[to], body);
  return aws.trace.events.at(-1)?.type === 'sqs.sent';
}

/** Every body that is anywhere, taken out of the queues one by one after a last task. */
async function drain(aws: RedriveFixture): Promise<(string | undefined)[]> {
  aws.faults.clear();
  aws.decideAccess = () => ({ allowed: true, reason: 'the end of the test' });
  await aws.timeline.runUntilIdle();
  aws.start({ DestinationArn: aws.arn('other') });
  await aws.timeline.runUntilIdle();
  const bodies: (string | undefined)[] = [];
  for (let found = 1; found > 0; ) {
    const before = bodies.length;
    for (const QueueUrl of [aws.orders, aws.returns, aws.other, aws.dlq]) {
      for (const { Body, ReceiptHandle } of aws.receive(QueueUrl)) {
        bodies.push(Body);
        aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl, ReceiptHandle });
      }
    }
    found = bodies.length - before;
  }
  return bodies;
}

it.each([
  ['standard', false],
  ['FIFO', true],
])(
  'After any sends, receives, moves, cancellations, denials and faults, every message is in exactly one place, between %s queues',
  async (_, isFifo) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async steps => {
        const aws = new RedriveFixture(isFifo);
        const sent: string[] = [];
        for (const [i, it] of steps.entries()) {
          const body = `message-${i}`;
          sent.push(...(await play(aws, it, body)));
        }
        const moved = aws.happened('sqs.moved');
        expect(new Set(moved.map(({ messageId }) => messageId)).size).toBe(moved.length);
        expect((await drain(aws)).sort()).toEqual(sent.sort());
        for (const task of aws.list(10)) expect(['COMPLETED', 'CANCELLED', 'FAILED']).toContain(task.Status);
        const reported = aws.list(10).reduce((sum, { ApproximateNumberOfMessagesMoved: n = 0 }) => sum + n, 0);
        if (aws.happened('sqs.move-task-started').length <= 10) expect(reported).toBe(aws.happened('sqs.moved').length);
      }),
      { numRuns: 150 },
    );
  },
);
