import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { PublishCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { administrator } from '../../local/kernel/caller';
import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { Queue, redrivePolicy } from './queue';
import { numbered, Redrive } from './redrive';
import { embeddedRow, ON_AWS, OPEN_TO_TOPICS, row, Target } from './target';

describe('section 9: StartMessageMoveTask', () => {
  const aws = new Target();

  row('answers a handle that is base64 of the JSON of its id and its source', async () => {
    const redrive = await Redrive.of(aws);
    const handle: unknown = JSON.parse(Buffer.from(await redrive.start(), 'base64').toString());
    expect(handle).toEqual({ taskId: expect.stringMatching(/^[0-9a-f-]{36}$/), sourceArn: redrive.messages.arn });
  });

  row("moves each message to its own source queue by default, of several queues' dead letters", async () => {
    const redrive = await Redrive.of(aws);
    const returns = await Queue.of(aws, { RedrivePolicy: redrivePolicy(redrive.messages.arn) });
    await redrive.deadLetter(['order']);
    await redrive.deadLetter(['return'], returns);
    expect(await redrive.run()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 2 });
    expect([await redrive.orders.bodies(), await returns.bodies()]).toEqual([['order'], ['return']]);
  });

  row('moves all of them to the destination it names', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await redrive.run({ DestinationArn: redrive.other.arn });
    expect(await redrive.other.bodies()).toEqual(['order']);
    expect(await redrive.messages.bodies()).toEqual([]);
  });

  row('makes new messages: another id, another enqueue time, a count of its own', async () => {
    const redrive = await Redrive.of(aws);
    const { MessageId } = await redrive.orders.send('order');
    await redrive.orders.receiveTooOften(1);
    const [message] = await redrive.messages.receive({ VisibilityTimeout: 0 });
    await aws.pass(5);
    await redrive.run();
    const [moved] = await redrive.orders.receive();
    expect(message).toMatchObject({ MessageId, Attributes: { DeadLetterQueueSourceArn: redrive.orders.arn } });
    expect(moved).toMatchObject({ Body: 'order', Attributes: { ApproximateReceiveCount: '1' } });
    expect(moved?.MessageId).not.toBe(MessageId);
    expect(moved?.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
    expect(Number(moved?.Attributes?.SentTimestamp)).toBeGreaterThan(Number(message?.Attributes?.SentTimestamp));
  });

  row('at 1 message a second takes at least 3 seconds for 4 messages', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(4));
    await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(2);
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING', MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(20);
    expect(await redrive.task()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 4 });
    expect(await redrive.other.depths()).toEqual([4, 0, 0]);
  });

  row.each([0, 501])('at %i messages a second is refused: 1 to 500', async MaxNumberOfMessagesPerSecond => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.start({ MaxNumberOfMessagesPerSecond })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });
});

describe('section 9: CancelMessageMoveTask', () => {
  const aws = new Target();

  row(
    'is asynchronous: the task goes on for a moment, ends CANCELLED, and nothing is rolled back',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.deadLetter(numbered(10));
      const handle = await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
      await aws.pass(3);
      const movedThen = (await redrive.cancel(handle)) ?? Number.NaN;
      expect(await redrive.task()).toMatchObject({ Status: expect.stringMatching(/^CANCELL(ING|ED)$/) });
      await aws.pass(60);
      const task = await redrive.task();
      const { ApproximateNumberOfMessagesMoved: moved = 0 } = task;
      expect(task).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesToMove: 10 });
      expect(movedThen).toBeLessThanOrEqual(moved);
      expect(await redrive.other.depths()).toEqual([moved, 0, 0]);
      expect(await redrive.messages.depths()).toEqual([10 - moved, 0, 0]);
    },
    90_000,
  );

  embeddedRow('counts late: a task says it has moved fewer than it has, and the truth when it is over', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    const handle = await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(6);
    const movedThen = await redrive.cancel(handle);
    const [arrivedThen] = await redrive.other.depths();
    expect(movedThen).toBeLessThan(arrivedThen);
    await aws.pass(60);
    const [arrived] = await redrive.other.depths();
    expect(arrived).toBeGreaterThan(arrivedThen);
    expect(arrived).toBeLessThan(10);
    expect(await redrive.task()).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesMoved: arrived });
  });
});

describe('section 9: a move task that fails', () => {
  const aws = new Target();

  row(
    'does so when its destination is deleted',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.deadLetter(numbered(10));
      await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
      await aws.pass(2);
      await redrive.delete(redrive.other);
      await aws.pass(60);
      expect(await redrive.task()).toMatchObject({
        Status: 'FAILED',
        FailureReason: 'AWS.SimpleQueueService.NonExistentQueue',
      });
    },
    90_000,
  );

  row(
    'does so at a message sent by hand, unless a destination is named',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.messages.send('by hand');
      expect(await redrive.run()).toMatchObject({
        Status: 'FAILED',
        FailureReason: 'CouldNotDetermineMessageSource',
      });
      expect(await redrive.run({ DestinationArn: redrive.other.arn })).toMatchObject({ Status: 'COMPLETED' });
      expect(await redrive.other.bodies()).toEqual(['by hand']);
    },
    90_000,
  );
});

describe('section 9: a move task, in the long run', () => {
  const aws = new Target();

  embeddedRow('gives what it moves a retention of its own', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await aws.pass(3 * DAY_SECONDS);
    await redrive.start();
    await aws.pass(4 * DAY_SECONDS - 1);
    expect(await redrive.orders.depths()).toEqual([1, 0, 0]);
    await aws.pass(1);
    expect(await redrive.orders.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow('fails after 36 hours', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await aws.control('PUT', 'faults', {
      service: 'sqs',
      action: 'SendMessage',
      resource: redrive.other.arn,
      status: 503,
    });
    await redrive.start({ DestinationArn: redrive.other.arn });
    await aws.pass(36 * HOUR_SECONDS - 1);
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING' });
    await aws.pass(1);
    expect(await redrive.task()).toMatchObject({
      Status: 'FAILED',
      FailureReason: 'MaximumTaskDurationExceeded',
      ApproximateNumberOfMessagesMoved: 0,
    });
    await aws.control('DELETE', 'faults');
  });
});

describe("section 9: a subscription's dead-letter queue", () => {
  const aws = new Target();

  /** A dead letter of SNS, which may not send to the subscribed queue. */
  async function messageOfSns(): Promise<Redrive> {
    const redrive = await Redrive.of(aws, { messages: { Policy: OPEN_TO_TOPICS } });
    const TopicArn = await aws.topic();
    await aws.sns.send(
      new SubscribeCommand({
        TopicArn,
        Protocol: 'sqs',
        Endpoint: redrive.other.arn,
        Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: redrive.messages.arn }) },
      }),
    );
    await aws.sns.send(new PublishCommand({ TopicArn, Message: 'order' }));
    await aws.pass(1);
    return redrive;
  }

  row('is no source unless a queue names it too', async () => {
    const redrive = await messageOfSns();
    await redrive.orders.set({ RedrivePolicy: '' });
    await expect(redrive.start({ DestinationArn: redrive.other.arn })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Source queue must be configured as a Dead Letter Queue.',
    });
  });

  row('that a queue names too is a source for a named destination only', async () => {
    const redrive = await messageOfSns();
    expect(await redrive.run()).toMatchObject({ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
    const DestinationArn = redrive.other.arn;
    expect(await redrive.run({ DestinationArn })).toMatchObject({ Status: 'COMPLETED', DestinationArn });
    expect(await redrive.other.receive()).toMatchObject([{ Body: expect.stringContaining('"Message" : "order"') }]);
  });
});

const NOT_THERE = (parameter: string) => ({
  name: 'ResourceNotFoundException',
  message: `The resource that you specified for the ${parameter} parameter doesn't exist.`,
});

const ALREADY_RUNNING = {
  name: 'InvalidParameterValue',
  message: 'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
};

describe('section 9: StartMessageMoveTask is refused', () => {
  const aws = new Target();

  row("for a source that is no queue's dead-letter queue", async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.start({ SourceArn: redrive.other.arn })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Source queue must be configured as a Dead Letter Queue.',
    });
  });

  row.each(['SourceArn', 'DestinationArn'])('for a %s that does not exist', async parameter => {
    const redrive = await Redrive.of(aws);
    const started = redrive.start({ [parameter]: `${redrive.messages.arn}-nowhere` });
    await expect(started).rejects.toMatchObject(NOT_THERE(parameter));
  });

  row('while a task of the same source is active', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    await redrive.start({ MaxNumberOfMessagesPerSecond: 1 });
    await expect(redrive.start()).rejects.toMatchObject(ALREADY_RUNNING);
  });
});

describe('section 9: ListMessageMoveTasks', () => {
  const aws = new Target();

  row('shows a running task with its handle', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    const DestinationArn = redrive.other.arn;
    const TaskHandle = await redrive.start({ DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(1);
    const task = await redrive.task();
    expect(task).toMatchObject({
      TaskHandle,
      Status: 'RUNNING',
      SourceArn: redrive.messages.arn,
      DestinationArn,
      MaxNumberOfMessagesPerSecond: 1,
      ApproximateNumberOfMessagesMoved: expect.any(Number),
    });
    expect(String(task.StartedTimestamp)).toMatch(/^\d{13}$/);
  });

  row('shows a finished task without a handle, and without parameters that were not set', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    expect(await redrive.run()).toEqual({
      Status: 'COMPLETED',
      SourceArn: redrive.messages.arn,
      ApproximateNumberOfMessagesMoved: 1,
      ApproximateNumberOfMessagesToMove: 1,
      StartedTimestamp: expect.any(Number),
    });
  });

  row(
    'shows the newest first: one by default, and ten at most',
    async () => {
      const redrive = await Redrive.of(aws);
      const count = ON_AWS ? 3 : 12;
      const rates = Array.from({ length: count }, (_, i) => i + 1);
      for (const MaxNumberOfMessagesPerSecond of rates) await redrive.run({ MaxNumberOfMessagesPerSecond });
      const listed = async (max?: number) => (await redrive.list(max)).map(task => task.MaxNumberOfMessagesPerSecond);
      expect(await listed()).toEqual([count]);
      expect(await listed(10)).toEqual(rates.reverse().slice(0, 10));
    },
    90_000,
  );

  row.each([0, 11])('of %i at most is refused: 1 to 10', async MaxResults => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.list(MaxResults)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('section 9: CancelMessageMoveTask is refused', () => {
  const aws = new Target();

  const handleOf = (sourceArn: string) =>
    Buffer.from(JSON.stringify({ taskId: '10f57157-fc38-4da9-a113-4de7e12d05dd', sourceArn })).toString('base64');

  row('for a handle that is none', async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.cancel('foobared')).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Value for parameter TaskHandle is invalid.',
    });
  });

  row('for a handle of a queue that does not exist', async () => {
    const redrive = await Redrive.of(aws);
    const cancelled = redrive.cancel(handleOf(`${redrive.messages.arn}-nowhere`));
    await expect(cancelled).rejects.toMatchObject(NOT_THERE('SourceArn'));
  });

  row('for a task that does not exist', async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.cancel(handleOf(redrive.messages.arn))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Task does not exist.',
    });
  });
});

describe('section 9: a queue of dead letters', () => {
  const aws = new Target();

  row('is a source as long as any queue names it', async () => {
    const redrive = await Redrive.of(aws);
    const returns = await Queue.of(aws, { RedrivePolicy: redrivePolicy(redrive.messages.arn) });
    await redrive.orders.set({ RedrivePolicy: '' });
    expect(await redrive.start()).not.toBe('');
    await aws.pass(ON_AWS ? 15 : 1);
    await returns.set({ RedrivePolicy: '' });
    await expect(redrive.start()).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('section 9: an account', () => {
  const aws = new Target();

  /** Creates it directly in the embedded AWS, because the test is about `StartMessageMoveTask`. Returns its ARN. */
  function deadLetterQueue(index: number): string {
    const { services, place } = aws.embedded;
    const owner = administrator(place.account);
    const create = (QueueName: string, Attributes = {}) =>
      services.sqs.call('CreateQueue', owner, { QueueName, Attributes }).QueueUrl ?? '';
    const QueueUrl = create(`letters-${index}`);
    const arn = services.sqs.queueByUrl(QueueUrl)?.arn ?? '';
    create(`orders-${index}`, { RedrivePolicy: redrivePolicy(arn) });
    for (const MessageBody of ['one', 'two']) services.sqs.call('SendMessage', owner, { QueueUrl, MessageBody });
    return arn;
  }

  embeddedRow('has a hundred active tasks at most', async () => {
    const redrive = await Redrive.of(aws);
    const DestinationArn = redrive.other.arn;
    const begin = (SourceArn: string) => redrive.start({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
    for (let i = 1; i <= 100; i += 1) await begin(deadLetterQueue(i));
    const last = deadLetterQueue(101);
    await expect(begin(last)).rejects.toMatchObject({ name: 'RequestThrottled' });
    await aws.pass(10);
    expect(await begin(last)).not.toBe('');
  });
});

/** The permissions that a redrive requires, on the dead-letter queue, the destination and their keys. */
const ON_SOURCE = ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map(
  name => `sqs:${name}`,
);
const ON_DESTINATION = ['sqs:SendMessage'];
const TO_WATCH = ['sqs:ListMessageMoveTasks', 'sqs:CancelMessageMoveTask'];

interface Statement {
  readonly actions: readonly string[];
  readonly resource: string;
}

const policyOf = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: statements
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, resource }) => ({ Effect: 'Allow', Action: actions, Resource: resource })),
});

/** A client with exactly these permissions. In a real account, a new role takes a while to work everywhere. */
async function clientThatMay(aws: Target, statements: readonly Statement[]): Promise<SQSClient> {
  const RoleName = aws.name('redrive');
  const trust = { Effect: 'Allow', Principal: { AWS: aws.embedded.place.account }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: trust });
  const { Role } = await aws.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const PolicyDocument = JSON.stringify(policyOf(statements));
  await aws.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'redrive', PolicyDocument }));
  const sts = aws.client(settings => new STSClient(settings));
  const asked = new AssumeRoleCommand({ RoleArn: Role?.Arn, RoleSessionName: 'redrive' });
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = (await sts.send(asked)).Credentials ?? {};
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  return aws.client(settings => new SQSClient({ ...settings, credentials }));
}

const without = (actions: readonly string[], action: string) => actions.filter(name => name !== action);

describe('section 9: the permissions of a move task', () => {
  const aws = new Target();

  /** Dead letters, and a caller that may redrive them except for `missing`. */
  async function lacking(missing: string) {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(4));
    const caller = await clientThatMay(aws, [
      { actions: without([...ON_SOURCE, ...TO_WATCH], missing), resource: redrive.messages.arn },
      { actions: without(ON_DESTINATION, missing), resource: redrive.orders.arn },
    ]);
    return { redrive, theirs: redrive.as(caller) };
  }

  embeddedRow('are enough to redrive, to list and to cancel', async () => {
    const { redrive, theirs } = await lacking('nothing');
    const handle = await theirs.start({ MaxNumberOfMessagesPerSecond: 1 });
    expect(await theirs.list()).toMatchObject([{ TaskHandle: handle }]);
    await theirs.cancel(handle);
    await aws.pass(60);
    expect(await theirs.run()).toMatchObject({ Status: 'COMPLETED' });
    expect(await redrive.orders.depths()).toEqual([4, 0, 0]);
  });

  embeddedRow.each(ON_SOURCE)('include %s on the dead-letter queue', async action => {
    const { redrive, theirs } = await lacking(action);
    await expect(theirs.start()).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    expect(await redrive.list()).toEqual([]);
  });

  embeddedRow('include sqs:SendMessage on the destination', async () => {
    const { redrive, theirs } = await lacking('sqs:SendMessage');
    expect(await theirs.run()).toMatchObject({ Status: 'FAILED', FailureReason: 'AccessDenied' });
    expect(await redrive.messages.depths()).toEqual([4, 0, 0]);
  });

  embeddedRow('include sqs:ListMessageMoveTasks to list', async () => {
    const { theirs } = await lacking('sqs:ListMessageMoveTasks');
    await theirs.start();
    await expect(theirs.list()).rejects.toMatchObject({ name: 'AccessDenied' });
  });

  embeddedRow('include sqs:CancelMessageMoveTask to cancel', async () => {
    const { redrive, theirs } = await lacking('sqs:CancelMessageMoveTask');
    const handle = await theirs.start({ MaxNumberOfMessagesPerSecond: 1 });
    await expect(theirs.cancel(handle)).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING' });
  });
});

describe('section 9: the permissions of a move task between encrypted queues', () => {
  const aws = new Target();

  async function encrypted(queue: Redrive['orders']): Promise<string> {
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({}));
    await queue.set({ KmsMasterKeyId: KeyMetadata?.KeyId ?? '' });
    return KeyMetadata?.Arn ?? '';
  }

  /** As above, with a key on each side. */
  async function lacking(ofSource: readonly string[], ofDestination: readonly string[]): Promise<Redrive> {
    const redrive = await Redrive.of(aws);
    const [source, destination] = [await encrypted(redrive.messages), await encrypted(redrive.orders)];
    await redrive.deadLetter(['order']);
    const caller = await clientThatMay(aws, [
      { actions: [...ON_SOURCE, ...TO_WATCH], resource: redrive.messages.arn },
      { actions: ON_DESTINATION, resource: redrive.orders.arn },
      { actions: ofSource, resource: source },
      { actions: ofDestination, resource: destination },
    ]);
    return redrive.as(caller);
  }

  embeddedRow('include kms:Decrypt of the source key, kms:GenerateDataKey and kms:Decrypt of the other', async () => {
    const redrive = await lacking(['kms:Decrypt'], ['kms:GenerateDataKey', 'kms:Decrypt']);
    expect(await redrive.run()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 });
  });

  embeddedRow('do not begin a task without kms:Decrypt of the source key', async () => {
    const redrive = await lacking([], ['kms:GenerateDataKey', 'kms:Decrypt']);
    await expect(redrive.start()).rejects.toMatchObject({ name: 'KmsAccessDenied' });
  });

  embeddedRow.each([[['kms:GenerateDataKey']], [['kms:Decrypt']]])(
    'let a task fail that has %j alone of the destination key',
    async ofDestination => {
      const redrive = await lacking(['kms:Decrypt'], ofDestination);
      expect(await redrive.run()).toMatchObject({ Status: 'FAILED', ApproximateNumberOfMessagesMoved: 0 });
    },
  );
});
