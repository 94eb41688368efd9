import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { SendMessageBatchCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { OpsTopic, ProcessingQueue, RedriveLane } from '../../lib';
import { redriveRows } from '../../lib/redrive/redrive';
import { Alarms } from '../../lib/shared/alarms';
import { REDRIVE_METRICS } from '../../policy/metric-names';
import { REDRIVE_STATES, type RedriveState } from '../../policy/redrive/redrive-decision';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const LONGEST_LOOK_MINUTES = 15;

/** Deploys the alarms of a redrive on a function that is invoked once a minute. The test publishes the state metric itself. */
async function watched(code: string, props: Partial<FunctionProps> = {}) {
  const deployed = await Deployed.stack(stack => {
    const handler = inlineFunction(stack, 'Redrive', code, {
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      ...props,
    });
    new Rule(stack, 'Tick', { schedule: Schedule.rate(Duration.minutes(1)), targets: [new FunctionTarget(handler)] });
    const actions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const alarms = new Alarms(stack, { actions, withoutActions: 'A redrive stops' });
    for (const row of redriveRows(handler, Duration.minutes(LONGEST_LOOK_MINUTES))) alarms.watch(row);
  });
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  const say = async (state: RedriveState) => {
    const { namespace: Namespace, dimension: Name } = REDRIVE_METRICS;
    const Dimensions = [{ Name, Value: deployed.ref('Redrive') }];
    const Timestamp = new Date(deployed.aws.nowMs);
    const MetricData = [{ MetricName: 'RedriveState', Value: REDRIVE_STATES[state], Timestamp, Dimensions }];
    await cloudWatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
  };
  /** Publishes one state each minute, or none. */
  const live = async (looks: readonly (RedriveState | undefined)[]) => {
    for (const state of looks) {
      if (state) await say(state);
      await deployed.advance({ minutes: 1 });
    }
  };
  return { deployed, live };
}

const times = <T>(count: number, it: T): T[] => Array.from({ length: count }, () => it);

describe('The alarms of a redrive', () => {
  test('tell once of each run that stopped, however often that is said, and of none that goes on or ends well', async () => {
    const { deployed, live } = await watched('exports.handler = async () => {};');
    await live(['idle', 'moving', 'settling', 'moving', 'settling', 'settling', 'idle', 'idle']);
    expect(deployed.alarmed('StoppedAlarm')).toEqual([]);
    await live(['moving', ...times(10, 'stopped' as const), ...times(10, undefined), ...times(10, 'stopped' as const)]);
    expect(deployed.alarmed('StoppedAlarm')).toHaveLength(1);
    await live(['moving', 'settling', ...times(5, 'stopped' as const), ...times(3, 'idle' as const)]);
    expect(deployed.alarmed('StoppedAlarm')).toHaveLength(2);
    expect(deployed.rings('StoppedAlarm').at(-1)?.to).toBe('OK');
    expect([...deployed.alarmed('ErrorsAlarm'), ...deployed.alarmed('ThrottlesAlarm')]).toEqual([]);
  });

  test('tell within five minutes that looks fail, and not of one that did', async () => {
    const failing = 'exports.handler = async () => { throw new Error("no such queue"); };';
    const { deployed, live } = await watched(failing);
    await live(times(2, undefined));
    expect(deployed.alarmed('ErrorsAlarm')).toEqual([]);
    await live(times(6, undefined));
    expect(deployed.alarmed('ErrorsAlarm')).toHaveLength(1);
  });

  test('tell of throttles that keep it from looking, and not of those that a long look brings about', async () => {
    const { deployed, live } = await watched('exports.handler = async () => {};', {
      reservedConcurrentExecutions: 0,
    });
    for (let look = 0; look < 3; look += 1) await live(['moving', ...times(LONGEST_LOOK_MINUTES - 1, undefined)]);
    expect(await deployed.functionSum('Redrive', 'Throttles')).toBeGreaterThanOrEqual(40);
    expect(deployed.alarmed('ThrottlesAlarm')).toEqual([]);
    await live(times(12, undefined));
    expect(deployed.alarmed('ThrottlesAlarm')).toHaveLength(1);
  });
});

describe('redrive lane', () => {
  /** Fails on the whole batch because of one message, and logs what it did. */
  const CLUMSY = `exports.handler = async ({ Records }) => {
  if (Records.some(({ body }) => body.startsWith('poison'))) throw new Error('indigestible');
  for (const { body } of Records) console.log('done: ' + body);
};`;

  const MAILBOX = 'ops@example.com';

  const GOOD = ['order 1', 'order 2', 'order 3', 'order 4'];
  const POISON = ['poison 1', 'poison 2'];

  function lane(stack: Stack): void {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX })];
    const encryptionMasterKey = new Key(stack, 'Key');
    const orders = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey, alarmActions, fifo: true });
    orders.addFunctionConsumer(inlineFunction(stack, 'Consumer', CLUMSY, { timeout: Duration.seconds(5) }));
    new RedriveLane(stack, 'Lane', { laneOf: orders, alarmActions });
  }

  describe('A FIFO lane', () => {
    let deployed: Deployed;

    const receivesIn = (queue: string, messageId: string) =>
      deployed
        .happened('sqs.received')
        .filter(it => it.queueArn === deployed.arn(queue) && it.messageId === messageId)
        .map(({ receiveCount }) => receiveCount);

    const done = () =>
      deployed.log(`/aws/lambda/${deployed.ref('Consumer')}`).flatMap(line => /done: (\w+ \d)/.exec(line)?.[1] ?? []);

    beforeAll(async () => {
      deployed = await Deployed.stack(lane);
      deployed.aws.confirmSubscription(MAILBOX);
      const Entries = ['order 1', 'poison 1', 'order 2', 'order 3', 'poison 2', 'order 4'].map((body, index) => ({
        Id: `${index}`,
        MessageBody: body,
        MessageGroupId: 'customer-7',
        MessageDeduplicationId: `${index}`,
      }));
      await deployed.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: deployed.ref('Orders/DeadLetterQueue'), Entries }),
      );
      const [SourceArn, DestinationArn] = [deployed.arn('Orders/DeadLetterQueue'), deployed.arn('Lane/Queue')];
      await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
      await deployed.advance({ minutes: 10 });
    });

    test('takes the good ones home, of whatever batch, and none of them twice', () => {
      expect([...done()].sort()).toEqual(GOOD);
    });

    test('puts poison into quarantine after the three receives of its one pass, and it stays there', async () => {
      const messages = await deployed.receive('Lane/Quarantine');
      expect(messages.map(({ Body }) => Body).sort()).toEqual(POISON);
      for (const { MessageId = '' } of messages) expect(receivesIn('Lane/Queue', MessageId)).toEqual([1, 2, 3]);
      await deployed.advance({ hours: 1 });
      expect(deployed.happened('sqs.dead-lettered')).toHaveLength(POISON.length);
      expect(await deployed.receive('Lane/Queue')).toEqual([]);
    });

    test('tells once, with what to do', () => {
      expect(deployed.alarmed('Lane/Quarantine/GrowthAlarm')).toHaveLength(1);
      const mails = deployed.aws.recipients.receipts(MAILBOX).filter(it => it.subject?.startsWith('ALARM'));
      expect(mails.map(({ body }) => body)).toEqual([expect.stringContaining('#dead-letters-in-quarantine')]);
    });
  });
});
