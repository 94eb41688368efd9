import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { DeadLetterQueue, OpsTopic } from '../../lib';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';

const MESSAGES = 'Letters';
const ALARM = `${MESSAGES}/ArrivalsAlarm`;
const MINUTE_MS = 60_000;

/**
 * AWS measures a queue that was idle up to 15 minutes late (aws-semantics, section 6). Here it is measured at once, so the
 * same alarm looks at numbers of ours instead, which come as late as we like.
 */
const NAMESPACE = 'Measured/Late';

function fill(stack: Stack): void {
  const queue = new DeadLetterQueue(stack, MESSAGES, { alarmActions: [new OpsTopic(stack, 'Ops')] });
  queue.fedByTopic(new Topic(stack, 'Topic'));
}

/** How often the alarm fires within an hour, if the one arrival there was is told of so many minutes later. */
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
