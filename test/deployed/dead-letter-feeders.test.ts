import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterAccess, DeadLetterQueue, DurableTopic, ImportedDeadLetterQueue, ProcessingQueue } from '../../lib';
import { assemblyOf, assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { newRule, newSchedule } from '../support/feeders';
import { superfluousGrants } from '../support/least-privilege';

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
    ours: (stack, queue) => queue.fedByRule(newRule(stack, queue)),
    lost: 'events.dropped',
    kept: 'events.dead-lettered',
  },
  {
    feeder: 'a schedule',
    target: 'ScheduleTarget',
    plain: (stack, deadLetterQueue) => newSchedule(stack, { deadLetterQueue }),
    ours: (stack, queue) => queue.fedBySchedule(newSchedule(stack, { deadLetterQueue: queue })),
    lost: 'scheduler.dropped',
    kept: 'scheduler.dead-lettered',
  },
];

/** Lets the feeder fire a few times, and then at a target that is gone. */
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
    const notOurs = new RegExp(`^${target}Policy`);
    expect(await superfluousGrants(assemblyOfStack(fill), { grain: 'action', more, notOurs })).toEqual([]);
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
    expect(deployed.alarmed('DeadLetters/WaitingAlarm')).toHaveLength(1);
  });

  test('keeps a policy somebody else has given it: the deployment fails, and says what is there', async () => {
    const deployment = Deployed.assembly(
      assemblyOf(app => {
        const dead = new Queue(new Stack(app, 'Elsewhere'), 'Dead', { queueName: 'dead', enforceSSL: true });
        const stack = new Stack(app, 'Test');
        stack.addStackDependency(Stack.of(dead));
        const messages = new ImportedDeadLetterQueue(stack, 'DeadLetters', {
          queue: Queue.fromQueueArn(stack, 'Dead', ARN),
          access: DeadLetterAccess.WRITE_POLICY,
        });
        messages.fedByTopic(new DurableTopic(stack, 'Orders'));
      }),
    );
    await expect(deployment).rejects.toThrow("Resource of type 'AWS::SQS::QueueInlinePolicy' with identifier");
  });
});
