import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import type { AlarmFacts } from '../../policy/relay/breaker';

/**
 * @throws Error where there is no such alarm
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export async function alarmFacts(client: CloudWatchClient, alarmName: string): Promise<AlarmFacts> {
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [alarmName] }));
  const [alarm] = MetricAlarms;
  if (!alarm?.StateValue) throw new Error(`there is no alarm ${alarmName}`);
  const since = alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp;
  return { state: alarm.StateValue, sinceMs: since?.getTime() ?? 0 };
}
