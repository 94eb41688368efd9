import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import { DurableTopic } from '../../lib';
import { Deployed } from '../support/deployed';

const FAILURES = { namespace: 'Shop', metricName: 'Failures' };

/** Deploys an alarm that speaks to a topic, and lets it ring. */
async function ringing(topicIn: (stack: Stack) => Topic): Promise<Deployed> {
  const deployed = await Deployed.stack(stack => {
    const metric = new Metric({ ...FAILURES, statistic: Stats.SUM });
    metric
      .createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 })
      .addAlarmAction(new SnsAction(topicIn(stack)));
  });
  const MetricData = [{ MetricName: FAILURES.metricName, Value: 1, Timestamp: new Date(deployed.aws.nowMs) }];
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: FAILURES.namespace, MetricData }));
  await deployed.advance({ minutes: 10 });
  expect(deployed.alarmed('Alarm')).toHaveLength(1);
  return deployed;
}

function heard(deployed: Deployed) {
  return {
    executed: deployed.happened('cloudwatch.action-executed').length,
    failed: deployed.happened('cloudwatch.action-failed').map(({ reason }) => reason),
  };
}

describe('An alarm that speaks to a topic', () => {
  test.each<[string, (stack: Stack) => Topic]>([
    ['a plain Topic', stack => new Topic(stack, 'Topic')],
    ['the DurableTopic put in its place', stack => new DurableTopic(stack, 'Topic')],
  ])('is heard by %s', async (_, topicIn) => {
    expect(heard(await ringing(topicIn))).toEqual({ executed: 1, failed: [] });
  });

  test('is not heard by a plain Topic once that refuses plain HTTP', async () => {
    const props: TopicProps = { enforceSSL: true };
    const { executed, failed } = heard(await ringing(stack => new Topic(stack, 'Topic', props)));
    expect(executed).toBe(0);
    expect(failed).toEqual([expect.stringContaining('not authorized')]);
  });

  test('of another account is refused by a DurableTopic', async () => {
    const deployed = await Deployed.stack(stack => void new DurableTopic(stack, 'Topic'));
    const { sns } = deployed.aws.services;
    const alarmIn = (account: string) => ({
      principal: { kind: 'service', service: 'cloudwatch.amazonaws.com' } as const,
      context: { 'aws:SourceAccount': account, 'aws:SecureTransport': 'true' },
    });
    const publish = (account: string) =>
      sns.call('Publish', alarmIn(account), { TopicArn: deployed.ref('Topic'), Message: 'x' });
    expect(publish('123456789012').MessageId).toEqual(expect.any(String));
    expect(() => publish('999999999999')).toThrow('not authorized to perform: SNS:Publish');
  });
});
