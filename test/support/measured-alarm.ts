import { CloudWatchClient, type MetricDatum, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { Stack } from 'aws-cdk-lib';
import { MINUTE_MS } from '../../policy/time-units';
import { assemblyOfStack, editTemplate } from './assembly';
import { Deployed } from './deployed';

const NAMESPACE = 'Measured/Late';

/**
 * One metric-math alarm of a stack, on numbers that the test publishes as late as it likes. On AWS, metrics are late: those of
 * a log come when the invocation has ended, those of a queue or topic after a minute or more. In the embedded AWS they come
 * at once.
 * @param alarm its path, such as `Relay/BreakerAlarm`
 */
export async function measuredAlarm(fill: (stack: Stack) => void, alarm: string) {
  const assembly = assemblyOfStack(fill);
  editTemplate(assembly, 'Test', ({ Resources }) => {
    for (const [id, { Properties }] of Object.entries(Resources)) {
      if (!id.startsWith(alarm.replace('/', ''))) continue;
      const metrics = Properties?.['Metrics'] as { MetricStat?: { Metric: Record<string, unknown> } }[];
      for (const { MetricStat } of metrics) {
        if (MetricStat) Object.assign(MetricStat.Metric, { Namespace: NAMESPACE, Dimensions: [] });
      }
    }
  });
  const deployed = await Deployed.assembly(assembly);
  const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
  /** Publishes the values of one minute. */
  const put = async (values: Readonly<Record<string, number>>, lateMinutes: number) => {
    const Timestamp = new Date(deployed.aws.nowMs - lateMinutes * MINUTE_MS);
    const MetricData: MetricDatum[] = Object.entries(values).map(([MetricName, Value]) => ({
      MetricName,
      Value,
      Timestamp,
    }));
    await cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
  };
  return { deployed, put, alarmed: () => deployed.alarmed(alarm) };
}
