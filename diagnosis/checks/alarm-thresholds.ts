import { parseArn } from '../../policy/arn';
import { formatDuration, formatNumber } from '../../policy/format-text';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { AlarmFacts, Inventory, WatchedMetricFacts } from '../inventory/inventory';
import { queueOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

/** Services whose metrics are counts and durations, and never below 0. */
export const NEVER_NEGATIVE: ReadonlySet<string> = new Set(['AWS/SQS', 'AWS/SNS', 'AWS/Lambda', 'AWS/Events']);

/** How many messages of a queue can be in flight. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MOST_IN_FLIGHT = 120_000;

const BELOW = 'the metric is never below 0';

/** The only metric of an alarm without math. */
function plainMetric({ metrics, isPlain = false }: AlarmFacts): WatchedMetricFacts | undefined {
  return isPlain ? metrics[0] : undefined;
}

interface Highest {
  readonly most: number;
  readonly why: string;
}

function highest(metric: WatchedMetricFacts, alarm: AlarmFacts, inventory: Inventory): Highest | undefined {
  if (metric.namespace !== 'AWS/SQS' || metric.accountId !== undefined) return undefined;
  if (metric.name === 'ApproximateNumberOfMessagesNotVisible') {
    return {
      most: MOST_IN_FLIGHT,
      why: `a queue has at most about ${formatNumber(MOST_IN_FLIGHT)} messages in flight`,
    };
  }
  if (metric.name !== 'ApproximateAgeOfOldestMessage') return undefined;
  const { partition, region, account } = parseArn(alarm.arn) ?? {};
  const name = knownValue(metric.dimensions['QueueName']);
  const queue = queueOf(`arn:${partition}:sqs:${region}:${account}:${name}`, inventory, alarm);
  const kept = queue && knownValue(queue.retentionSeconds);
  return queue === undefined || kept === undefined
    ? undefined
    : { most: kept, why: `${queue.name} keeps messages for ${formatDuration(kept)}` };
}

/** Statistics that cannot be above the highest value of the metric. */
const WITHIN_VALUES: ReadonlySet<string> = new Set(['Average', 'Maximum', 'Minimum']);

/** Why an alarm never fires; undefined if it can, or if that is unknown. Missing data that counts as breaching fires it. */
function whyNever(alarm: AlarmFacts, inventory: Inventory): string | undefined {
  const metric = plainMetric(alarm);
  const { comparison, threshold, treatMissingData } = alarm;
  if (metric === undefined || !NEVER_NEGATIVE.has(metric.namespace)) return undefined;
  if (!isKnown(treatMissingData) || treatMissingData === 'breaching') return undefined;
  if (!isKnown(threshold) || threshold === undefined) return undefined;
  const top = WITHIN_VALUES.has(metric.statistic) ? highest(metric, alarm, inventory) : undefined;
  switch (knownValue(comparison)) {
    case 'LessThanThreshold':
      return threshold <= 0 ? BELOW : undefined;
    case 'LessThanOrEqualToThreshold':
      return threshold < 0 ? BELOW : undefined;
    case 'GreaterThanThreshold':
      return top && threshold >= top.most ? top.why : undefined;
    case 'GreaterThanOrEqualToThreshold':
      return top && threshold > top.most ? top.why : undefined;
    default:
      return undefined;
  }
}

function cannotFire(inventory: Inventory): CheckResult[] {
  return inventory.alarms.flatMap((resource): CheckResult[] => {
    const why = whyNever(resource, inventory);
    if (why === undefined) return [];
    const metric = plainMetric(resource)?.name;
    return [
      {
        severity: 'unwatched',
        resource,
        location: 'Properties/Threshold',
        says: `The alarm ${resource.name} never fires: its threshold for ${metric} is ${knownValue(resource.threshold)}, and ${why}.`,
        fix: { says: 'Set a threshold that the metric can reach.' },
      },
    ];
  });
}

export const ALARM_THRESHOLD_CHECKS: readonly Check[] = [
  { id: 'alarm-cannot-fire', severities: ['unwatched'], find: cannotFire },
];
