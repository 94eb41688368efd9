import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { DeadLetterQueue, OpsTopic } from '../../lib';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** An hour counts if there was a letter whenever the queue was measured, and is looked at when it is over. */
const GIVE_OR_TAKE_SECONDS = HOUR_SECONDS + 120;

const MESSAGES = 'Letters';
const ALARM = `${MESSAGES}/UnattendedAlarm`;

function expectOnceAfter(deployed: Deployed, seconds: number): void {
  const [at = Number.NaN, ...others] = deployed.alarmed(ALARM);
  expect(others).toEqual([]);
  expect(Math.abs(at - seconds)).toBeLessThanOrEqual(GIVE_OR_TAKE_SECONDS);
}

function fill(stack: Stack): void {
  new DeadLetterQueue(stack, MESSAGES, { alarmActions: [new OpsTopic(stack, 'Ops')] });
}

describe('Dead letters that nobody takes out', () => {
  test('are told of once, a day after they came, and again only once they were gone', async () => {
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
    expect(() => deployed.ref('Never/UnattendedAlarm')).toThrow('no deployed stack has a resource');
  });

  test('of an empty queue there are none, however long it is idle', async () => {
    const deployed = await Deployed.stack(fill);
    await deployed.advance({ days: 10 });
    expect(deployed.alarmed(ALARM)).toEqual([]);
  });
});

/**
 * AWS says that a queue is measured "for up to six hours if it contains any messages" (aws-semantics, section 6). Here it
 * is measured for as long as it holds one, so the same alarm looks at numbers of ours instead.
 */
describe('Where a queue is not measured any more', () => {
  const NAMESPACE = 'Measured/By/Us';

  /** The number of letters in each of the first hours; nothing is known of any later. */
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

  test('six hours of letters and then silence are letters nobody took out', async () => {
    const deployed = await measured([1, 1, 1, 1, 1, 1]);
    expectOnceAfter(deployed, DAY_SECONDS);
  });

  test('silence after an empty hour is not', async () => {
    expect((await measured([1, 1, 0])).alarmed(ALARM)).toEqual([]);
  });
});
