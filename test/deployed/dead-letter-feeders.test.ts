import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  CancelMessageMoveTaskCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  ImportedDeadLetterQueue,
  ProcessingQueue,
} from '../../lib';
import { assemblyOf, assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { newRule, newSchedule } from '../support/feeders';
import { inlineFunction } from '../support/inline-function';
import { wrongGrants } from '../support/least-privilege';
import { assuming, attempt } from '../support/stack-use';

interface Feeding {
  readonly feeder: string;
  readonly target: string;
  readonly plain: (stack: Stack, deadLetterQueue: IQueue) => unknown;
  readonly ours: (stack: Stack, deadLetterQueue: DeadLetterQueue) => void;
  readonly lost: 'events.dropped' | 'scheduler.dropped';
  readonly kept: 'events.dead-lettered' | 'scheduler.dead-lettered';
}

const FEEDINGS: readonly Feeding[] = [
  {
    feeder: 'an EventBridge rule',
    target: 'RuleTarget',
    plain: newRule,
    ours: (stack, queue) => queue.fedBy(newRule(stack, queue)),
    lost: 'events.dropped',
    kept: 'events.dead-lettered',
  },
  {
    feeder: 'a schedule',
    target: 'ScheduleTarget',
    plain: (stack, deadLetterQueue) => newSchedule(stack, { deadLetterQueue }),
    ours: (stack, queue) => queue.fedBy(newSchedule(stack, { deadLetterQueue: queue })),
    lost: 'scheduler.dropped',
    kept: 'scheduler.dead-lettered',
  },
];

/** Lets the feeder fire a few times, and then again after its target was deleted. */
async function fail(deployed: Deployed, target: string): Promise<readonly string[]> {
  await deployed.advance({ minutes: 2 });
  await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref(target) }));
  await deployed.advance({ minutes: 5 });
  return [];
}

describe.each(FEEDINGS)('Into a dead-letter queue with a key of one’s own, $feeder', feeding => {
  const { target, plain, ours, lost, kept } = feeding;

  async function failing(fill: (stack: Stack) => void): Promise<Deployed> {
    const deployed = await Deployed.stack(fill);
    await fail(deployed, target);
    return deployed;
  }

  test('loses what it cannot deliver with aws-cdk-lib, which grants nothing on the key', async () => {
    const deployed = await failing(stack => {
      plain(stack, new Queue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'Key') }));
    });
    const [first] = deployed.happened(lost);
    expect(first?.reason).toMatch(/kms:GenerateDataKey/);
    expect(deployed.happened(kept)).toEqual([]);
  });

  const fill = (stack: Stack) =>
    ours(stack, new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'Key') }));

  test('sends it with ours, and the alarm tells', async () => {
    const deployed = await failing(fill);
    expect(deployed.happened(lost)).toEqual([]);
    const messages = await deployed.take('Dead');
    expect(messages.length).toBeGreaterThan(0);
    expect(deployed.happened(kept).length).toBeGreaterThanOrEqual(messages.length);
    expect(deployed.alarmed('Dead/ArrivalsAlarm').length).toBeGreaterThan(0);
  });

  test('could not without any one of the permissions it has', async () => {
    const more = (deployed: Deployed) => fail(deployed, target);
    const ours = new RegExp(`^(?!${target}Policy)`);
    expect(await wrongGrants(assemblyOfStack(fill), { grain: 'action', more, ours })).toEqual([]);
  });
});

describe('A queue that was made elsewhere', () => {
  const ARN = 'arn:aws:sqs:us-east-1:123456789012:dead';

  const deploy = (fill: (stack: Stack, queue: IQueue) => void) =>
    Deployed.assembly(
      assemblyOf(app => {
        new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead' });
        const stack = new Stack(app, 'Test');
        fill(stack, Queue.fromQueueArn(stack, 'Dead', ARN));
      }),
    );

  test('gets its policy from here: what a topic cannot deliver is kept, and the alarm tells', async () => {
    const deployed = await deploy((stack, queue) => {
      const access = DeadLetterAccess.WRITE_POLICY;
      const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'DeadLetters', { queue, access });
      new DurableTopic(stack, 'Orders').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
    });
    await deployed.takeQueuePolicyAway('Queue');
    await deployed.publish('Orders', 'order');
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('sns.lost')).toEqual([]);
    expect(await deployed.take('/Elsewhere/Dead')).toHaveLength(1);
    expect(deployed.alarmed('DeadLetters/ArrivalsAlarm')).toHaveLength(1);
  });

  test('is watched for what a plain queue’s consumer fails on', async () => {
    const deployed = await deploy((stack, queue) => {
      const messages = new ImportedDeadLetterQueue(stack, 'DeadLetters', { queue });
      new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue: messages, maxReceiveCount: 1 } });
    });
    await deployed.send('Source', 'poison');
    expect(await deployed.receive('Source')).toHaveLength(1);
    await deployed.advance({ seconds: 30 });
    expect(await deployed.receive('Source')).toEqual([]);
    await deployed.advance({ minutes: 2 });
    expect(deployed.alarmed('DeadLetters/GrowthAlarm')).toHaveLength(1);
  });

  test('keeps a policy somebody else has given it: the deployment fails, and says what is there', async () => {
    const deployment = Deployed.assembly(
      assemblyOf(app => {
        const dead = new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead', enforceSSL: true });
        const stack = new Stack(app, 'Test');
        stack.node.addDependency(Stack.of(dead));
        const messages = new ImportedDeadLetterQueue(stack, 'DeadLetters', {
          queue: Queue.fromQueueArn(stack, 'Dead', ARN),
          access: DeadLetterAccess.WRITE_POLICY,
        });
        messages.fedBy(new DurableTopic(stack, 'Orders'));
      }),
    );
    await expect(deployment).rejects.toThrow("Resource of type 'AWS::SQS::QueueInlinePolicy' with identifier");
  });
});

const MESSAGES = 5;

/** Adds a queue, its dead-letter queue and a redrive destination, each with its own key, and a role for each grant. */
function fill(stack: Stack): void {
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const key = (id: string) => ({ encryptionMasterKey: new Key(stack, `${id}Key`) });
  const role = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
  const queue = new DeadLetterQueue(stack, 'Dead', key('Dead'));
  new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
  queue.grantRedrive(role('Redriver'), new Queue(stack, 'Lane', key('Lane')));
  queue.grantPeek(role('Peeker'));
}

/** Starts a move task, lists and cancels it, and then moves the rest. */
async function redrive(deployed: Deployed, client: SQSClient): Promise<readonly string[]> {
  const SourceArn = deployed.arn('Dead');
  const start = (MaxNumberOfMessagesPerSecond: number) =>
    client.send(
      new StartMessageMoveTaskCommand({
        SourceArn,
        DestinationArn: deployed.arn('Lane'),
        MaxNumberOfMessagesPerSecond,
      }),
    );
  let TaskHandle = '';
  const lines = [
    await attempt('start', async () => {
      TaskHandle = (await start(1)).TaskHandle ?? '';
    }),
    await attempt('watch', () => client.send(new ListMessageMoveTasksCommand({ SourceArn }))),
  ];
  await deployed.advance({ seconds: 2 });
  if (TaskHandle) {
    lines.push(await attempt('cancel', () => client.send(new CancelMessageMoveTaskCommand({ TaskHandle }))));
  }
  await deployed.advance({ minutes: 1 });
  lines.push(await attempt('start again', () => start(500)));
  await deployed.advance({ minutes: 1 });
  const moved = (await deployed.take('Lane')).length;
  return [...lines, `${moved} moved`];
}

/** Receives a dead letter and puts it back, then tries to delete it. */
async function peek(deployed: Deployed, client: SQSClient): Promise<readonly string[]> {
  const QueueUrl = deployed.ref('Dead');
  let ReceiptHandle: string | undefined;
  return [
    await attempt('find', () => client.send(new GetQueueUrlCommand({ QueueName: deployed.name('Dead') }))),
    await attempt('count', () => client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))),
    await attempt('look', async () => {
      const { Messages: [message] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
      ReceiptHandle = message?.ReceiptHandle;
    }),
    await attempt('put back', () =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
    await attempt('take out', () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
  ];
}

async function use(deployed: Deployed): Promise<readonly string[]> {
  for (let message = 0; message < MESSAGES; message += 1) await deployed.send('Dead', `letter ${message}`);
  const [redriver, peeker] = [deployed.arn('Redriver'), deployed.arn('Peeker')];
  return [
    ...(await peek(deployed, await assuming(deployed.aws, peeker))),
    ...(await redrive(deployed, await assuming(deployed.aws, redriver))),
  ];
}

describe('Who may', () => {
  test('peek looks at dead letters and puts them back, who may redrive moves them, and nothing else', async () => {
    const deployed = await Deployed.stack(fill);
    expect(await use(deployed)).toEqual([
      'find: done',
      'count: done',
      'look: done',
      'put back: done',
      'take out: AccessDenied',
      'start: done',
      'watch: done',
      'cancel: done',
      'start again: done',
      `${MESSAGES} moved`,
    ]);
    const redriver = await assuming(deployed.aws, deployed.arn('Redriver'));
    const elsewhere = { SourceArn: deployed.arn('Dead'), DestinationArn: deployed.arn('Source') };
    await deployed.send('Dead', 'letter');
    await redriver.send(new StartMessageMoveTaskCommand(elsewhere));
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Source')).toEqual([]);
  });

  test('could not without any one of the permissions', async () => {
    expect(await wrongGrants(assemblyOfStack(fill), { grain: 'action', more: use })).toEqual([]);
  });

  test('redrive a queue of another stack, too', async () => {
    const assembly = assemblyOf(app => {
      new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead' });
      const stack = new Stack(app, 'Test');
      const queue = new ImportedDeadLetterQueue(stack, 'DeadLetters', {
        queue: Queue.fromQueueArn(stack, 'Dead', 'arn:aws:sqs:us-east-1:123456789012:dead'),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      });
      new ProcessingQueue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
      queue.grantRedrive(
        new Role(stack, 'Redriver', { assumedBy: new AccountRootPrincipal() }),
        new Queue(stack, 'Lane'),
      );
    });
    const deployed = await Deployed.assembly(assembly);
    await deployed.send('/Elsewhere/Dead', 'letter');
    const redriver = await assuming(deployed.aws, deployed.arn('Redriver'));
    const SourceArn = deployed.arn('/Elsewhere/Dead');
    await redriver.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: deployed.arn('Lane') }));
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Lane')).toEqual(['letter']);
  });
});

/**
 * "Moving a message to a dead-letter queue doesn't affect its encryption." "If the queue acts as a dead-letter queue, the
 * consumer must also have the kms:Decrypt permission for any KMS key that is used to encrypt the messages in the source
 * queue."
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#receive-from-encrypted-queue
 */
describe('a moved message keeps the encryption of the queue it came from', () => {
  /** A source with a customer's key, and a dead-letter queue with SSE-SQS. One role is granted before the source exists. */
  function fill(stack: Stack): void {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const role = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
    const queue = new DeadLetterQueue(stack, 'Dead');
    queue.grantRedrive(role('Redriver'), new Queue(stack, 'Lane'));
    queue.grantPeek(role('Peeker'));
    new ProcessingQueue(stack, 'Source', {
      encryptionMasterKey: new Key(stack, 'Key'),
      deadLetterQueue: { queue, maxReceiveCount: 1 },
    });
    queue.grantConsumeMessages(role('Consumer'));
    queue.grantPeek(role('LatePeeker'));
    queue.grant(role('Stranger'), 'sqs:*');
  }

  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(fill);
    await deployed.send('Source', 'order');
    expect(await deployed.receive('Source')).toHaveLength(1);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.receive('Source')).toEqual([]);
  });

  const as = async (role: string) => {
    const client = await assuming(deployed.aws, deployed.arn(role));
    const task = { SourceArn: deployed.arn('Dead'), DestinationArn: deployed.arn('Lane') };
    return {
      look: async () => {
        const request = { QueueUrl: deployed.ref('Dead'), VisibilityTimeout: 0 };
        const { Messages = [] } = await client.send(new ReceiveMessageCommand(request));
        return Messages.map(({ Body }) => Body);
      },
      redrive: () => client.send(new StartMessageMoveTaskCommand(task)),
    };
  };

  test.each(['Peeker', 'LatePeeker', 'Consumer', 'Redriver'])('so the key lets the %s in', async role => {
    expect(await (await as(role)).look()).toEqual(['order']);
  });

  test('and neither reads nor moves for one that may only use the queue', async () => {
    const { look, redrive } = await as('Stranger');
    await expect(look()).rejects.toThrow('AccessDeniedException');
    await redrive();
    await deployed.advance({ minutes: 1 });
    const ended = { status: 'FAILED', failureReason: 'KMS.AccessDeniedException', messagesMoved: 0 };
    expect(deployed.happened('sqs.move-task-ended')).toMatchObject([ended]);
  });

  test('until it is moved to a queue with another encryption', async () => {
    await (await as('Redriver')).redrive();
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Lane')).toEqual(['order']);
  });
});

describe('Dead letters that Lambda sent', () => {
  const FAILS = "exports.handler = async () => { throw new Error('no invoice today'); };";

  /** Adds a function that fails, the dead-letter queue for its events, and their redrive destination. */
  function fill(stack: Stack): DeadLetterQueue {
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
    new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Billing', FAILS), deadLetterQueue });
    new Queue(stack, 'Lane');
    return deadLetterQueue;
  }

  async function fail(deployed: Deployed): Promise<void> {
    const lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
    const Payload = Buffer.from('{"order":1}');
    await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('Billing'), InvocationType: 'Event', Payload }));
    await deployed.advance({ minutes: 10 });
  }

  function redrive(deployed: Deployed): Promise<unknown> {
    const task = { SourceArn: deployed.arn('Dead'), DestinationArn: deployed.arn('Lane') };
    return deployed.sqs.send(new StartMessageMoveTaskCommand(task));
  }

  test('cannot be moved by SQS while no queue names theirs as its dead-letter queue', async () => {
    const deployed = await Deployed.stack(fill);
    await fail(deployed);
    await expect(redrive(deployed)).rejects.toThrow();
    expect(await deployed.take('Dead')).toEqual(['{"order":1}']);
  });

  test('are moved once an anchor does, of which no alarm ever tells', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const queue = fill(stack);
      const deadLetterQueue = { queue, maxReceiveCount: 1_000 };
      queue.anchoredBy(new Queue(stack, 'Anchor', { queueName: 'anchor', deadLetterQueue }));
    });
    await fail(deployed);
    await redrive(deployed);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Lane')).toEqual(['{"order":1}']);
    expect(deployed.alarmed('Dead/ArrivalsAlarm')).toHaveLength(1);
    expect(() => deployed.ref('Dead/WaitingAlarm')).toThrow();
  });

  test('are kept in a plain queue as well', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const deadLetterQueue = new Queue(stack, 'Dead');
      new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Billing', FAILS), deadLetterQueue });
    });
    await fail(deployed);
    expect(await deployed.take('Dead')).toEqual(['{"order":1}']);
    expect(deployed.happened('lambda.lost')).toEqual([]);
  });
});
