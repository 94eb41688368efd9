import { type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  type Alarm,
  CfnAlarm,
  Color,
  type HorizontalAnnotation,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** A metric that is counted. */
export function sum(label: string, color?: string): MetricOptions {
  return { statistic: Stats.SUM, label, color };
}

/** The line at which an alarm fires. Its resource knows: the alarm itself does not hear of a threshold changed later. */
export function alarmLine({ node }: Alarm): HorizontalAnnotation[] {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnAlarm) || resource.threshold === undefined) return [];
  return [{ value: resource.threshold, label: 'alarm', color: Color.ORANGE }];
}

/**
 * Where a metric of a resource is to be found, should that be another place than the stack says: an imported queue or topic
 * has its own Region and account.
 */
export function placeOf(resource: IResource): MetricOptions {
  const stack = Stack.of(resource);
  const other = (its: string, ours: string) =>
    Token.compareStrings(its, ours) === TokenComparison.DIFFERENT ? its : undefined;
  return { region: other(resource.env.region, stack.region), account: other(resource.env.account, stack.account) };
}

/** The dead letters a queue holds. */
export function waiting(queue: IQueue, label: string): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** How old the oldest message of a queue is, in seconds. */
export function oldest(queue: IQueue, label: string): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}
