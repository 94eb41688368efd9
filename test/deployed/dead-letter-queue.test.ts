import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  ImportedDeadLetterQueue,
  OpsTopic,
  ProcessingQueue,
} from '../../lib';
import { serviceCaller } from '../../local/kernel/caller';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_MS } from '../../policy/time-units';
import { assemblyOf, assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';

describe('dead letter queue', () => {
  /** Sends a message to a queue with `maxReceiveCount` 1, and receives it twice: then SQS moves it. */
  async function poison(deployed: Deployed, queue: string): Promise<string> {
    const messageId = await deployed.send(queue, 'poison');
    expect(await deployed.receive(queue)).toHaveLength(1);
    await deployed.advance({ seconds: 30 });
    expect(await deployed.receive(queue)).toEqual([]);
    return messageId;
  }

  /** Adds a topic whose only queue cannot be reached, with a dead-letter queue. */
  function feedFromTopic(stack: Stack, deadLetterQueue: DeadLetterQueue): void {
    const queue = new Queue(stack, `${deadLetterQueue.node.id}Unreachable`);
    const topic = new DurableTopic(stack, `${deadLetterQueue.node.id}Topic`);
    topic.deliverToQueue('Queue', queue, { deadLetterQueue });
  }

  function feedFromQueue(stack: Stack, queue: DeadLetterQueue): void {
    new ProcessingQueue(stack, `${queue.node.id}Source`, { deadLetterQueue: { queue, maxReceiveCount: 1 } });
  }

  describe('the alarm that cannot miss', () => {
    let deployed: Deployed;
    let startedAt: number;

    beforeAll(async () => {
      deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        feedFromTopic(stack, new DeadLetterQueue(stack, 'SnsFed'));
        const bySqs = new DeadLetterQueue(stack, 'SqsFed');
        feedFromQueue(stack, bySqs);
        for (const id of ['BothFed', 'BothFedAgain']) {
          const both = new DeadLetterQueue(stack, id);
          feedFromTopic(stack, both);
          feedFromQueue(stack, both);
        }
        const sent = bySqs.metricNumberOfMessagesSent({ statistic: Stats.SUM, period: Duration.minutes(1) });
        sent.createAlarm(stack, 'UsualAlarm', {
          threshold: 0,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          evaluationPeriods: 1,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        });
      });
      for (const id of ['SnsFed', 'BothFed', 'BothFedAgain']) await deployed.takeQueuePolicyAway(`${id}Unreachable`);
      startedAt = deployed.seconds;
      await deployed.publish('SnsFedTopic', 'x');
      await deployed.publish('BothFedTopic', 'x');
      await poison(deployed, 'SqsFedSource');
      await poison(deployed, 'BothFedAgainSource');
      await deployed.advance({ minutes: 10 });
    });

    const arrival = (queue: string) => {
      const moved = deployed.happened('sqs.dead-lettered').find(it => it.deadLetterQueueArn === deployed.arn(queue));
      return moved ? deployed.secondsAt(moved.atMs) : startedAt;
    };

    /** Expects one alarm: the metric counts a message in its minute, and the alarm is evaluated when the minute is over. */
    const expectOnce = (queue: string, alarm: string) => {
      const [at = Number.NaN, ...others] = deployed.alarmed(`${queue}/${alarm}`);
      expect(at - arrival(queue)).toBeLessThanOrEqual(120);
      expect(others).toEqual([]);
    };

    test('is on NumberOfMessagesSent where SNS feeds the queue', () => {
      expectOnce('SnsFed', 'ArrivalsAlarm');
      expect(() => deployed.ref('SnsFed/WaitingAlarm')).toThrow('there is no resource');
    });

    test('is on the messages that wait where SQS feeds it, because SQS counts nothing as sent', async () => {
      expectOnce('SqsFed', 'WaitingAlarm');
      expect(() => deployed.ref('SqsFed/ArrivalsAlarm')).toThrow('there is no resource');
      expect(await deployed.queueSum('SqsFed', 'NumberOfMessagesSent')).toBe(0);
      expect(deployed.alarmed('UsualAlarm')).toEqual([]);
    });

    test('stays, and does not ring again, while a message waits; it is over when the queue is empty', async () => {
      await poison(deployed, 'SqsFedSource');
      await deployed.advance({ minutes: 5 });
      expect(deployed.alarmed('SqsFed/WaitingAlarm')).toHaveLength(1);
      const bodies = await deployed.take('SqsFed');
      expect(bodies.length).toBeGreaterThanOrEqual(2);
      await deployed.advance({ minutes: 5 });
      expect(deployed.rings('SqsFed/WaitingAlarm').at(-1)?.to).toBe('OK');
    });

    test('is both where both feed it, and either of them is heard', () => {
      expectOnce('BothFed', 'ArrivalsAlarm');
      expectOnce('BothFedAgain', 'WaitingAlarm');
      expect(deployed.alarmed('BothFedAgain/ArrivalsAlarm')).toEqual([]);
    });
  });

  describe('the age alarm', () => {
    test('leaves three days to respond before a dead letter of SNS expires', async () => {
      const deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        feedFromTopic(stack, new DeadLetterQueue(stack, 'DeadLetters'));
      });
      await deployed.takeQueuePolicyAway('DeadLettersUnreachable');
      await deployed.publish('DeadLettersTopic', 'x');
      await deployed.advance({ days: 15 });
      const [expired] = deployed.happened('sqs.expired');
      expect(deployed.secondsAt(expired?.atMs ?? 0)).toBe(14 * DAY_SECONDS);
      const [firedAt = Number.NaN, ...others] = deployed.alarmed('DeadLetters/AgeAlarm');
      expect(others).toEqual([]);
      expect(firedAt).toBeGreaterThan(11 * DAY_SECONDS);
      expect(firedAt).toBeLessThanOrEqual(11 * DAY_SECONDS + 120);
    });

    /** In a standard queue, expiry counts from the first send, and the age metric of the dead-letter queue from the move. */
    test('leaves as long where the message had already waited in its source for most of its time', async () => {
      const deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        feedFromQueue(stack, new DeadLetterQueue(stack, 'DeadLetters', { retentionPeriod: Duration.days(9) }));
      });
      await deployed.send('DeadLettersSource', 'poison');
      await deployed.advance({ days: 3, hours: 23 });
      await deployed.receive('DeadLettersSource');
      await deployed.advance({ minutes: 1 });
      await deployed.receive('DeadLettersSource');
      const movedAt = deployed.seconds;
      await deployed.advance({ days: 6 });
      const [expired] = deployed.happened('sqs.expired');
      expect(expired?.queueArn).toBe(deployed.arn('DeadLetters'));
      const expiredAt = deployed.secondsAt(expired?.atMs ?? 0);
      expect(expiredAt).toBe(9 * DAY_SECONDS);
      const [firedAt = Number.NaN] = deployed.alarmed('DeadLetters/AgeAlarm');
      expect(firedAt - movedAt).toBeGreaterThan(2 * DAY_SECONDS);
      expect(expiredAt - firedAt).toBeGreaterThanOrEqual(3 * DAY_SECONDS - 120);
    });
  });

  test('a FIFO queue has a FIFO dead-letter queue, which keeps the group of what it is moved', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const queue = new DeadLetterQueue(stack, 'Dead', { fifo: true });
      new ProcessingQueue(stack, 'Source', { fifo: true, deadLetterQueue: { queue, maxReceiveCount: 1 } });
    });
    const poisoned = { QueueUrl: deployed.ref('Source'), MessageBody: 'poison', MessageGroupId: 'car-1' };
    await deployed.sqs.send(new SendMessageCommand({ ...poisoned, MessageDeduplicationId: '1' }));
    expect(await deployed.receive('Source')).toHaveLength(1);
    await deployed.advance({ hours: 12 });
    expect(await deployed.receive('Source')).toEqual([]);
    expect(await deployed.receive('Dead')).toMatchObject([{ Body: 'poison', Attributes: { MessageGroupId: 'car-1' } }]);
  });
});

const MESSAGES = 'Letters';
const ALARM = `${MESSAGES}/ArrivalsAlarm`;

/**
 * AWS reports metrics of a queue that was idle up to 15 minutes late (aws-semantics, section 6). The embedded AWS reports them
 * at once. So here the same alarm watches a metric that the test publishes late.
 */
const NAMESPACE = 'Measured/Late';

function fill(stack: Stack): void {
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const queue = new DeadLetterQueue(stack, MESSAGES, { alarmActions: [new OpsTopic(stack, 'Ops')] });
  queue.fedBy(new Topic(stack, 'Topic'));
}

/** Returns how often the alarm fires within an hour, if the only arrival is reported this many minutes late. */
async function fired(lateMinutes: number): Promise<number> {
  const assembly = assemblyOfStack(fill);
  editTemplate(assembly, 'Test', ({ Resources }) => {
    const [alarm] = Object.entries(Resources).flatMap(([id, it]) => (/ArrivalsAlarm/.test(id) ? [it] : []));
    if (alarm?.Properties) alarm.Properties['Namespace'] = NAMESPACE;
  });
  const deployed = await Deployed.assembly(assembly);
  await deployed.advance({ minutes: 30 });
  const MetricData = [
    {
      MetricName: 'NumberOfMessagesSent',
      Dimensions: [{ Name: 'QueueName', Value: deployed.name(MESSAGES) }],
      Timestamp: new Date(deployed.aws.nowMs - lateMinutes * MINUTE_MS),
      Value: 1,
    },
  ];
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
  await deployed.advance({ hours: 1 });
  return deployed.alarmed(ALARM).length;
}

describe('A dead letter in a queue that was idle', () => {
  test.each([0, 5, 15])('is told of once though AWS measures it %i minutes late', async lateMinutes => {
    expect(await fired(lateMinutes)).toBe(1);
  });

  test('is beyond what CloudWatch looks at an hour later: then the unattended alarm must tell', async () => {
    expect(await fired(60)).toBe(0);
  });
});

describe('unattended dead letters', () => {
  /** The alarm evaluates an hour when it is over. It counts if every measurement found a message. */
  const GIVE_OR_TAKE_SECONDS = HOUR_SECONDS + 120;

  const MESSAGES = 'Letters';
  const ALARM = `${MESSAGES}/UnattendedAlarm`;

  function expectOnceAfter(deployed: Deployed, seconds: number): void {
    const [at = Number.NaN, ...others] = deployed.alarmed(ALARM);
    expect(others).toEqual([]);
    expect(Math.abs(at - seconds)).toBeLessThanOrEqual(GIVE_OR_TAKE_SECONDS);
  }

  function fill(stack: Stack): void {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    new DeadLetterQueue(stack, MESSAGES, { alarmActions: [new OpsTopic(stack, 'Ops')] });
  }

  describe('Dead letters that nobody takes out', () => {
    test('ring once, a day after they came, and again only after the queue was empty', async () => {
      const deployed = await Deployed.stack(fill);
      await deployed.send(MESSAGES, 'first');
      await deployed.advance({ days: 3 });
      expectOnceAfter(deployed, DAY_SECONDS);
      expect(deployed.happened('cloudwatch.action-executed').map(({ alarmName }) => alarmName)).toContain(
        deployed.ref(ALARM),
      );

      expect(await deployed.take(MESSAGES)).toEqual(['first']);
      await deployed.advance({ hours: 3 });
      expect(deployed.rings(ALARM).at(-1)?.to).toBe('OK');

      await deployed.send(MESSAGES, 'second');
      await deployed.advance({ days: 2 });
      expect(deployed.alarmed(ALARM)).toHaveLength(2);
    });

    test('are those that stay while others are taken', async () => {
      const deployed = await Deployed.stack(fill);
      for (const message of ['one', 'other']) await deployed.send(MESSAGES, message);
      await deployed.advance({ hours: 12 });
      const QueueUrl = deployed.ref(MESSAGES);
      const { Messages: [one] = [] } = await deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
      await deployed.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: one?.ReceiptHandle }));
      await deployed.advance({ days: 1 });
      expectOnceAfter(deployed, DAY_SECONDS);
    });

    test('are not those that somebody has in hand for a minute: from then on it is a day again', async () => {
      const deployed = await Deployed.stack(fill);
      await deployed.send(MESSAGES, 'letter');
      await deployed.advance({ hours: 12 });
      const QueueUrl = deployed.ref(MESSAGES);
      await deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60 }));
      await deployed.advance({ days: 2 });
      expectOnceAfter(deployed, 1.5 * DAY_SECONDS);
    });

    test('may lie for as long as they are allowed to', async () => {
      const deployed = await Deployed.stack(stack => {
        AlarmDefaults.of(stack).use(AlarmSet.ALL);
        new DeadLetterQueue(stack, 'Hours', { unattendedAfter: Duration.hours(2) });
        new DeadLetterQueue(stack, 'Week', { unattendedAfter: Duration.days(7) });
        new DeadLetterQueue(stack, 'Never', { watchUnattended: false });
      });
      for (const queue of ['Hours', 'Week', 'Never']) await deployed.send(queue, 'letter');
      await deployed.advance({ days: 6 });
      expect(deployed.alarmed('Hours/UnattendedAlarm')).toHaveLength(1);
      expect(deployed.alarmed('Week/UnattendedAlarm')).toEqual([]);
      await deployed.advance({ days: 1, hours: 2 });
      expect(deployed.alarmed('Week/UnattendedAlarm')).toHaveLength(1);
      expect(() => deployed.ref('Never/UnattendedAlarm')).toThrow('there is no resource');
    });

    test('of an empty queue there are none, however long it is idle', async () => {
      const deployed = await Deployed.stack(fill);
      await deployed.advance({ days: 10 });
      expect(deployed.alarmed(ALARM)).toEqual([]);
    });
  });

  /**
   * AWS measures an idle queue "for up to six hours if it contains any messages" (aws-semantics, section 6). The embedded AWS
   * measures it as long as it contains one. So here the same alarm watches a metric that the test publishes.
   */
  describe('Where a queue is not measured any more', () => {
    const NAMESPACE = 'Measured/By/Us';

    /** Publishes the number of messages in each of the first hours, and nothing later. */
    async function measured(hourly: readonly number[]): Promise<Deployed> {
      const assembly = assemblyOfStack(fill);
      editTemplate(assembly, 'Test', ({ Resources }) => {
        const [alarm] = Object.entries(Resources).flatMap(([id, it]) => (/UnattendedAlarm/.test(id) ? [it] : []));
        if (alarm?.Properties) alarm.Properties['Namespace'] = NAMESPACE;
      });
      const deployed = await Deployed.assembly(assembly);
      const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
      for (const Value of hourly) {
        const MetricData = [
          {
            MetricName: 'ApproximateNumberOfMessagesVisible',
            Dimensions: [{ Name: 'QueueName', Value: deployed.name(MESSAGES) }],
            Timestamp: new Date(deployed.aws.nowMs),
            Value,
          },
        ];
        await cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
        await deployed.advance({ hours: 1 });
      }
      await deployed.advance({ days: 3 });
      return deployed;
    }

    test('six hours with messages and then no data count as unattended messages', async () => {
      const deployed = await measured([1, 1, 1, 1, 1, 1]);
      expectOnceAfter(deployed, DAY_SECONDS);
    });

    test('silence after an empty hour is not', async () => {
      expect((await measured([1, 1, 0])).alarmed(ALARM)).toEqual([]);
    });
  });
});

describe('unknown retention', () => {
  /** In the dead-letter queue, a message has 14 days less the time it spent in its source. */
  test('A dead letter that spent 11 of its 14 days in a source of unknown retention rings before it expires', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const retention = new CfnParameter(stack, 'Retention', { type: 'Number', default: 13 * DAY_SECONDS });
      const queue = new DeadLetterQueue(stack, 'Dlq');
      const source = new Queue(stack, 'Source', {
        retentionPeriod: Duration.seconds(retention.valueAsNumber),
        visibilityTimeout: Duration.seconds(30),
        deadLetterQueue: { queue, maxReceiveCount: 1 },
      });
      queue.fedBy(source);
    });
    await deployed.send('Source', 'an order');
    await deployed.advance({ days: 11 });
    expect(await deployed.receive('Source')).toHaveLength(1);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.receive('Source')).toEqual([]);
    await deployed.advance({ days: 4 });
    expect(await deployed.receive('Dlq')).toEqual([]);

    const [rang = Number.NaN] = deployed.alarmed('Dlq/AgeAlarm');
    expect(rang).toBeGreaterThan(11 * DAY_SECONDS);
    expect(rang).toBeLessThan(14 * DAY_SECONDS - 2 * DAY_SECONDS);
  });
});

const SHARED = 'arn:aws:sqs:us-east-1:123456789012:Shared-DLQ';

test('queue of another stack: a dead-letter queue’s owner and two stacks that import it deploy side by side, each with alarms of its own', async () => {
  const assembly = assemblyOf(app => {
    const owner = new Stack(app, 'Owner', { env: { account: '123456789012', region: 'us-east-1' } });
    new DeadLetterQueue(owner, 'Shared', { queueName: 'Shared-DLQ' });
    for (const id of ['Orders', 'Returns']) {
      const stack = new Stack(app, id, { env: { account: '123456789012', region: 'us-east-1' } });
      stack.node.addDependency(owner);
      const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'Shared', {
        queue: Queue.fromQueueArn(stack, 'SharedQueue', SHARED),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      });
      new DurableTopic(stack, 'Topic').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
    }
  });
  const { aws } = await Deployed.assembly(assembly);
  const alarms = aws.stacks.map(({ resources }) =>
    [...resources.values()].filter(({ type }) => type === 'AWS::CloudWatch::Alarm').map(({ ref }) => ref),
  );
  expect(alarms.map(names => names.length > 0)).toEqual([true, true, true]);
  expect(new Set(alarms.flat()).size).toBe(alarms.flat().length);
});

/**
 * "21 statements were found in the submitted policy, max allowed is 20" (recorded, aws/aws-cdk#16303).
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
 */
describe('a queue that more sources share than its policy may have statements', () => {
  const SOURCES = 25;
  const each = (fill: (index: number) => void) => {
    for (let i = 0; i < SOURCES; i += 1) fill(i);
  };

  /** Topics and rules that deliver to one queue. */
  function share(stack: Stack, queue: Queue, deadLetterQueue: Queue): void {
    const target = new SqsQueue(queue, { deadLetterQueue });
    const schedule = Schedule.rate(Duration.days(1));
    each(i => new Topic(stack, `Topic${i}`).addSubscription(new SqsSubscription(queue, { deadLetterQueue })));
    each(i => new Rule(stack, `Rule${i}`, { schedule, targets: [target] }));
  }

  test('deploys with a ProcessingQueue and a DeadLetterQueue, which keeps the messages of all of them', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const dead = new DeadLetterQueue(stack, 'Dlq');
      share(stack, new ProcessingQueue(stack, 'Queue'), dead);
      each(i => {
        const rule = stack.node.findChild(`Rule${i}`);
        const topic = stack.node.findChild(`Topic${i}`);
        if (rule instanceof Rule) dead.fedBy(rule);
        if (topic instanceof Topic) dead.fedBy(topic);
      });
    });
    await deployed.takeQueuePolicyAway('Queue');
    for (let i = 0; i < SOURCES; i += 1) await deployed.publish(`Topic${i}`, 'order');
    await deployed.advance({ days: 2 });
    const lost = [...deployed.happened('sns.lost'), ...deployed.happened('events.dropped')];
    expect(lost).toEqual([]);
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(SOURCES);
    expect(deployed.happened('events.dead-lettered').length).toBeGreaterThanOrEqual(SOURCES);
  });

  test('is refused, in the words of AWS, with a Queue of aws-cdk-lib', async () => {
    const assembly = assemblyOfStack(stack => share(stack, new Queue(stack, 'Queue'), new Queue(stack, 'Dlq')));
    await expect(Deployed.assembly(assembly)).rejects.toThrow(
      '50 statements were found in the submitted policy, max allowed is 20',
    );
  });
});

const ORDERS = 'arn:aws:sns:eu-west-1:999999999999:orders';

describe('An encrypted DeadLetterQueue fed by a topic of another account and Region', () => {
  const deployed = Deployed.stack(stack => {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const queue = new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey: new Key(stack, 'Key') });
    queue.fedBy(Topic.fromTopicArn(stack, 'Orders', ORDERS));
  });

  /** Sends to the queue like SNS for a topic of another account or Region. */
  async function sendFor(topicArn: string, account: string) {
    const { aws, ref } = await deployed.then(it => ({ aws: it.aws, ref: it.ref('Dlq') }));
    const request = { QueueUrl: ref, MessageBody: 'an order' };
    return aws.services.sqs.call('SendMessage', serviceCaller('sns.amazonaws.com', topicArn, account), request);
  }

  test('takes its dead letters', async () => {
    expect(await sendFor(ORDERS, '999999999999')).toMatchObject({ MessageId: expect.any(String) });
  });

  test.each([
    ['another topic of that account', ORDERS.replace('orders', 'cars'), '999999999999'],
    ['a topic of the queue’s own account', 'arn:aws:sns:us-east-1:123456789012:orders', '123456789012'],
  ])('refuses those of %s', async (_, topicArn, account) => {
    await expect(sendFor(topicArn, account)).rejects.toThrow(/not authorized|denied/i);
  });
});
