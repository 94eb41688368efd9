import {
  AddPermissionCommand,
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  ListQueueTagsCommand,
  RemovePermissionCommand,
  ResourceNotFoundException,
  SQSServiceException,
  StartMessageMoveTaskCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { WireFixture } from '../wire/wire-fixture';
import { arn, redrivePolicy } from './move-tasks-fixture';
import { START_MS } from './sqs-fixture';

function withDeadLetters(count: number) {
  const fixture = new WireFixture();
  const { aws } = fixture;
  const dlq = aws.createQueue('dlq');
  const orders = aws.createQueue('orders', { RedrivePolicy: redrivePolicy() });
  for (let i = 0; i < count; i += 1) {
    aws.send(orders, `order ${i}`);
    aws.receive(orders, 0);
    aws.receive(orders, 0);
  }
  return { ...fixture, aws, dlq, orders };
}

async function rejection(work: Promise<unknown>): Promise<SQSServiceException> {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    reason => reason,
  );
  if (error instanceof SQSServiceException) return error;
  throw error;
}

describe('the SQS client of the AWS SDK moves dead letters', () => {
  it('starts, watches and cancels a task (aws-semantics 9)', async () => {
    const { aws, client, dlq, orders } = withDeadLetters(10);
    const SourceArn = arn('dlq');
    const start = new StartMessageMoveTaskCommand({ SourceArn, MaxNumberOfMessagesPerSecond: 1 });
    const { TaskHandle } = await client.send(start);
    await aws.goTo(5);
    const list = () => client.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 10 }));
    expect((await list()).Results).toEqual([
      {
        TaskHandle,
        Status: 'RUNNING',
        SourceArn,
        MaxNumberOfMessagesPerSecond: 1,
        ApproximateNumberOfMessagesMoved: 5,
        ApproximateNumberOfMessagesToMove: 10,
        StartedTimestamp: START_MS,
      },
    ]);
    const cancelled = await client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    expect(cancelled.ApproximateNumberOfMessagesMoved).toBe(5);
    expect((await list()).Results).toMatchObject([{ Status: 'CANCELLING' }]);
    await aws.goTo(60);
    expect((await list()).Results).toMatchObject([{ Status: 'CANCELLED', ApproximateNumberOfMessagesMoved: 8 }]);
    expect(aws.attributes(dlq)['ApproximateNumberOfMessages']).toBe('2');
    expect(aws.attributes(orders)['ApproximateNumberOfMessages']).toBe('8');
  });

  it('is told why not, under the SDK’s own error class', async () => {
    const { client } = withDeadLetters(0);
    const SourceArn = arn('nowhere');
    const missing = await rejection(client.send(new StartMessageMoveTaskCommand({ SourceArn })));
    expect(missing).toBeInstanceOf(ResourceNotFoundException);
    expect(missing.message).toBe("The resource that you specified for the SourceArn parameter doesn't exist.");
    expect(missing.$metadata.httpStatusCode).toBe(404);
    const garbage = await rejection(client.send(new CancelMessageMoveTaskCommand({ TaskHandle: 'foobared' })));
    expect(garbage).toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Value for parameter TaskHandle is invalid.',
    });
  });
});

describe('the SQS client of the AWS SDK', () => {
  it('tags, lists and untags', async () => {
    const { client, dlq: QueueUrl } = withDeadLetters(0);
    const list = async () => (await client.send(new ListQueueTagsCommand({ QueueUrl }))).Tags;
    expect(await list()).toBeUndefined();
    await client.send(new TagQueueCommand({ QueueUrl, Tags: { Team: 'rental', Stage: 'prod' } }));
    await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['Stage'] }));
    expect(await list()).toEqual({ Team: 'rental' });
  });

  it('opens a queue to another account, and closes it', async () => {
    const { aws, client, dlq: QueueUrl } = withDeadLetters(0);
    const Label = 'partner';
    const add = { QueueUrl, Label, AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] };
    await client.send(new AddPermissionCommand(add));
    expect(aws.attributes(QueueUrl)['Policy']).toContain('"Sid":"partner"');
    const again = await rejection(client.send(new AddPermissionCommand(add)));
    expect(again.message).toBe('Value partner for parameter Label is invalid. Reason: Already exists.');
    await client.send(new RemovePermissionCommand({ QueueUrl, Label }));
    expect(aws.attributes(QueueUrl)).not.toHaveProperty('Policy');
  });
});
