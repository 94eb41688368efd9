import { Token } from 'aws-cdk-lib';
import { type CfnAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { ownedMetricAlarm } from '../shared/alarms/metric-alarms';
import { atSynthesis } from '../shared/at-synthesis';
import { warn } from '../shared/checks';
import { mentions } from '../shared/mentions';
import type { RedriveProps } from './redrive-props';

/** What has no data at night, and is then neither INSUFFICIENT_DATA nor ALARM for it. */
const KEPT_OPEN: readonly string[] = [TreatMissingData.NOT_BREACHING, TreatMissingData.IGNORE];

/** What SQS measures as long as messages lie there, and is the higher for it. */
const LYING = /Approximate(NumberOfMessagesVisible|AgeOfOldestMessage)\b/;

/** Whether an alarm is not OK for want of data alone. */
function shutsWithoutData({ treatMissingData = TreatMissingData.MISSING }: CfnAlarm): boolean {
  return !Token.isUnresolved(treatMissingData) && !KEPT_OPEN.includes(treatMissingData);
}

/** Whether an alarm may fire because letters lie in the queue. */
function alarmsOnMessages(alarm: CfnAlarm, queueName: string): boolean {
  const { metricName, metrics, dimensions, stack } = alarm;
  const named = JSON.stringify(stack.resolve([metricName, metrics]));
  return LYING.test(named) && mentions(alarm, [dimensions, metrics], queueName);
}

const pathsOf = (alarms: readonly CfnAlarm[]) => alarms.map(({ node }) => node.scope?.node.path).join(', ');

/** Warns of alarms that keep a redrive from ever beginning, or for as long as nothing is wrong. */
export function warnOfAlarms(scope: Construct, props: RedriveProps): void {
  const { recoveryAlarms = [], healthAlarms = [], schedules = [], enabled = false, deadLetterQueue } = props;
  if (enabled && recoveryAlarms.length === 0 && schedules.length === 0) {
    const message = 'It is enabled, and begins no run by itself: pass schedules or recoveryAlarms.';
    warn(scope, 'redrive-by-hand-alone', message);
  }
  atSynthesis(scope, () => {
    const alarms = [...new Set([...recoveryAlarms, ...healthAlarms])].flatMap(it => ownedMetricAlarm(it) ?? []);
    const silent = alarms.filter(shutsWithoutData);
    const circular = alarms.filter(it => alarmsOnMessages(it, deadLetterQueue.queueName));
    if (silent.length > 0) {
      const message = `No run begins while there are no data, as in a quiet night: let ${pathsOf(silent)} take missing data as TreatMissingData.NOT_BREACHING or IGNORE.`;
      warn(scope, 'redrive-shut-without-data', message);
    }
    if (circular.length > 0) {
      const message = `${pathsOf(circular)} may fire because dead letters lie there, and then keeps them from going home: pass alarms on the destination.`;
      warn(scope, 'redrive-bars-itself', message);
    }
  });
}
