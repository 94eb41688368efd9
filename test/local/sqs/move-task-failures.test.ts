import { roleCaller } from '../../../local/kernel/caller';
import { arn, RedriveFixture } from './move-tasks-fixture';
import { ADMIN, errorOf, START_MS } from './sqs-fixture';

const HOUR = 3_600;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`);

/** @see aws-semantics section 9 */
describe('a move task fails', () => {
  const failed = (reason: string, moved: number) => ({
    Status: 'FAILED',
    FailureReason: reason,
    ApproximateNumberOfMessagesMoved: moved,
  });

  it('when its destination is deleted while it runs, and leaves the rest (recorded)', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, ...numbered(10));
    aws.start({ DestinationArn: arn('other'), MaxNumberOfMessagesPerSecond: 1 });
    await aws.goTo(2);
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: aws.other });
    await aws.goTo(3);
    expect(aws.task).toMatchObject(failed('AWS.SimpleQueueService.NonExistentQueue', 3));
    expect(aws.depth(aws.dlq)).toBe(7);
  });

  it('when the queue a message came from is gone', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'order');
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: aws.orders });
    aws.start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject(failed('AWS.SimpleQueueService.NonExistentQueue', 0));
  });

  it('at a message whose source it cannot know, such as one sent by hand, by SNS or by Lambda', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'order');
    aws.send(aws.dlq, 'by hand');
    aws.start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject(failed('CouldNotDetermineMessageSource', 1));
    expect(aws.bodies(aws.dlq, 0)).toEqual(['by hand']);
    aws.start({ DestinationArn: arn('other') });
    await aws.goTo(2);
    expect(aws.task.Status).toBe('COMPLETED');
    expect(aws.bodies(aws.other)).toEqual(['by hand']);
  });

  it('when its source is deleted, and gives the account its place back', async () => {
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

  it('at a message its destination finds too long', async () => {
    const aws = new RedriveFixture();
    aws.createQueue('small', { MaximumMessageSize: '1024' });
    aws.deadLetter(aws.orders, 'x'.repeat(1024), 'x'.repeat(1025));
    aws.start({ DestinationArn: arn('small') });
    await aws.goTo(1);
    expect(aws.task).toMatchObject(failed('InvalidParameterValue', 1));
    expect(aws.depth(aws.dlq)).toBe(1);
  });

  it('after 36 hours, whatever is left', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'x');
    aws.faults.set({ service: 'sqs', action: 'SendMessage' });
    aws.start();
    await aws.goTo(36 * HOUR - 1);
    expect(aws.task.Status).toBe('RUNNING');
    await aws.goTo(36 * HOUR);
    expect(aws.task).toMatchObject(failed('MaximumTaskDurationExceeded', 0));
    expect(aws.depth(aws.dlq)).toBe(1);
  });

  it('but not for a server error of SQS: it tries again until that is over', async () => {
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
  ])('waits for the answers of %s before its next message', async (_, where, movedAt, overAt) => {
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

  it.each(['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])(
    'include %s on the source: without it the task is not started',
    action => {
      const { aws, start } = denying(action, 'dlq');
      expect(errorOf(start)).toMatchObject({ code: 'AccessDenied', status: 403 });
      expect(aws.list()).toEqual([]);
      expect(aws.happened('sqs.refused')).toMatchObject([{ action: 'StartMessageMoveTask', resource: arn('dlq') }]);
    },
  );

  it('include SendMessage on the destination: without it the task fails', async () => {
    const { aws, start } = denying('sqs:SendMessage', 'orders');
    start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject({ Status: 'FAILED', FailureReason: 'AccessDenied' });
    expect(aws.depth(aws.dlq)).toBe(4);
    expect(aws.happened('sqs.refused')).toMatchObject([
      { action: 'SendMessage', resource: arn('orders'), reason: 'the test decides' },
    ]);
  });

  it.each([
    ['sqs:SendMessage', 'orders'],
    ['sqs:ReceiveMessage', 'dlq'],
    ['sqs:DeleteMessage', 'dlq'],
  ])('are the starter’s, and asked for as long as it runs: %s on %s taken away ends it', async (action, resource) => {
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

  it('include the keys: Decrypt for the source, GenerateDataKey and Decrypt for the destination', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'x');
    aws.createQueue('sealed', { KmsMasterKeyId: 'alias/sealed' });
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: aws.dlq, Attributes: { KmsMasterKeyId: 'alias/dlq' } });
    aws.start({ DestinationArn: arn('sealed') });
    await aws.goTo(1);
    const via = 'sqs.us-east-1.amazonaws.com';
    expect(new Set(aws.askedKeys)).toEqual(
      new Set([
        `alias/dlq kms:Decrypt ${via}`,
        `alias/sealed kms:GenerateDataKey ${via}`,
        `alias/sealed kms:Decrypt ${via}`,
      ]),
    );
    aws.deadLetter(aws.orders, 'y');
    aws.decideKey = (_, action) => ({ allowed: action !== 'kms:GenerateDataKey', reason: 'no grant' });
    aws.start({ DestinationArn: arn('sealed') });
    await aws.goTo(2);
    expect(aws.task).toMatchObject({ Status: 'FAILED', FailureReason: 'KMS.AccessDeniedException' });
    aws.decideKey = () => ({ allowed: false, reason: 'no grant' });
    expect(errorOf(() => aws.start()).code).toBe('KMS.AccessDeniedException');
  });

  it('to cancel include those of its source, to list include GetQueueAttributes', () => {
    const { aws } = denying('sqs:ReceiveMessage', 'dlq');
    const TaskHandle = aws.start();
    expect(errorOf(() => aws.sqs.call('CancelMessageMoveTask', ROLE, { TaskHandle })).code).toBe('AccessDenied');
    expect(aws.sqs.call('ListMessageMoveTasks', ROLE, { SourceArn: arn('dlq') }).Results).toHaveLength(1);
    const other = denying('sqs:GetQueueAttributes', 'dlq').aws;
    const list = () => other.sqs.call('ListMessageMoveTasks', ROLE, { SourceArn: arn('dlq') });
    expect(errorOf(list).code).toBe('AccessDenied');
  });
});
