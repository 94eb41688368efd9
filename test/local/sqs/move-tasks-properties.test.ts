import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import { RedriveFixture } from './move-tasks-fixture';
import { ADMIN } from './sqs-fixture';

const SOURCES = ['orders', 'returns', 'dlq'] as const;

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), to: fc.constantFrom(...SOURCES), delaySeconds: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('receive' as const), from: fc.constantFrom(...SOURCES), timeout: fc.nat({ max: 5 }) }),
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
 * Sends what somebody who copies dead letters by hand would: between FIFO queues under the old message's id, which is also
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

describe('whatever is sent, received, moved, cancelled, forbidden and broken', () => {
  it.each([
    ['standard', false],
    ['FIFO', true],
  ])('every message is in exactly one place: none is lost, none is doubled, between %s queues', async (_, isFifo) => {
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
  });
});
