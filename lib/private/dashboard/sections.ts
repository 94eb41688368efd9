import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  type Alarm,
  CfnAlarm,
  Color,
  type HorizontalAnnotation,
  type IAlarm,
  type IWidget,
  LogQueryWidget,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { DurableTopic } from '../../durable-topic';
import type { FunctionFailures } from '../../function-failures';
import { statusLogGroups } from '../../policy/letters/status-log-groups';
import type { ProcessingQueue } from '../../processing-queue';
import { isDeadLetterQueue } from '../dead-letters/letters-of';
import { retentionSeconds } from '../queues/queue-facts';
import { WHY_DELIVERIES_FAIL } from '../status-logging/status-queries';
import { band, GRID_WIDTH, type Graph } from './band';

/** About as many messages as a queue can hold in flight. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MOST_IN_FLIGHT = 120_000;

function sum(label: string, color?: string): MetricOptions {
  return { statistic: Stats.SUM, label, color };
}

/** The line at which an alarm fires. Its resource knows: the alarm itself does not hear of a threshold changed later. */
function alarmLine({ node }: Alarm): HorizontalAnnotation[] {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnAlarm) || resource.threshold === undefined) return [];
  return [{ value: resource.threshold, label: 'alarm', color: Color.ORANGE }];
}

/**
 * Where a metric of `queue` is to be found, should that be another place than the stack says: an imported queue has its
 * own Region and account.
 */
function placeOf(queue: IQueue): MetricOptions {
  const stack = Stack.of(queue);
  const other = (its: string, ours: string) =>
    Token.compareStrings(its, ours) === TokenComparison.DIFFERENT ? its : undefined;
  return { region: other(queue.env.region, stack.region), account: other(queue.env.account, stack.account) };
}

/** The dead letters a queue holds. */
export function waiting(queue: IQueue, label: string): Metric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** How old the oldest message of a queue is, in seconds. */
export function oldest(queue: IQueue, label: string): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label, ...placeOf(queue) });
}

/** The metric of dead letters that arrive counts what is sent and not what SQS moves: of such a queue it tells nothing. */
function arrivals(queue: IQueue): Metric[] {
  const onlyMoved = isDeadLetterQueue(queue) && queue.waitingAlarm && !queue.arrivalsAlarm;
  return onlyMoved ? [] : [queue.metricNumberOfMessagesSent({ ...sum('sent here', Color.RED), ...placeOf(queue) })];
}

/** Where dead letters are gone. What SQS moved here is gone sooner, by the time it spent in its source. */
function expiryLine(queue: IQueue): HorizontalAnnotation[] {
  const value = retentionSeconds(queue);
  return value === undefined ? [] : [{ value, label: 'expired at the latest', color: Color.RED }];
}

/** The alarms of a dead-letter queue, if it is of a kind that has any. */
export function deadLetterAlarms(queue: IQueue): readonly IAlarm[] {
  return isDeadLetterQueue(queue) ? queue.alarms : [];
}

/** What is shown of a dead-letter queue. */
export function deadLetterQueueRows(queue: IQueue): IWidget[][] {
  const name = queue.queueName;
  const lines = [...(isDeadLetterQueue(queue) ? alarmLine(queue.ageAlarm) : []), ...expiryLine(queue)];
  return [
    band(name, deadLetterAlarms(queue), [
      { title: `${name}: dead letters`, left: [waiting(queue, 'waiting'), ...arrivals(queue)] },
      { title: `${name}: age of the oldest, seconds`, left: [oldest(queue, 'oldest')], lines },
    ]),
  ];
}

/** What is shown of a topic: what goes through it, what dies, and why. */
export function topicRows(topic: DurableTopic): IWidget[][] {
  const name = topic.topicName;
  const through: Graph = {
    title: `${name}: published and delivered`,
    left: [
      topic.metricNumberOfMessagesPublished(sum('published')),
      topic.metricNumberOfNotificationsDelivered(sum('delivered', Color.GREEN)),
      topic.metricNumberOfNotificationsFilteredOut(sum('filtered out', Color.GREY)),
    ],
  };
  const dying: Graph = {
    title: `${name}: failed and dead`,
    left: [
      topic.metricNumberOfNotificationsFailed(sum('failed', Color.ORANGE)),
      topic.metricNotificationsRedrivenToDlq(sum('to a dead-letter queue', Color.PURPLE)),
      topic.metricNotificationsFailedToRedriveToDlq(sum('lost', Color.RED)),
      topic.metricNumberOfNotificationsFilteredOutInvalidAttributes(
        sum('filtered out for malformed attributes', Color.BROWN),
      ),
      topic.metricNumberOfNotificationsFilteredOutInvalidMessageBody(
        sum('filtered out for a malformed body', Color.PINK),
      ),
    ],
  };
  return [band(name, topic.alarms, [through, dying]), ...whyRow(topic, name)];
}

/** Where delivery status is logged, the answers of those who could not be delivered to. */
function whyRow(topic: DurableTopic, name: string): IWidget[][] {
  if (!topic.deliveryStatus) return [];
  const { region, account } = topic.env;
  const widget = new LogQueryWidget({
    title: `${name}: why deliveries fail`,
    logGroupNames: [statusLogGroups({ region, account, name }).failure],
    region,
    queryLines: [...WHY_DELIVERIES_FAIL],
    width: GRID_WIDTH,
    height: 6,
  });
  return [[widget]];
}

/** What is shown of a queue and its consumer. */
export function queueRows(queue: ProcessingQueue): IWidget[][] {
  const name = queue.queueName;
  const inFlight = queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM, label: 'in flight' });
  const full = { value: MOST_IN_FLIGHT, label: 'gives out no more', color: Color.RED };
  return [
    band(name, queue.alarms, [
      { title: `${name}: messages`, left: [waiting(queue, 'waiting')] },
      { title: `${name}: in flight`, left: [inFlight], lines: [...alarmLine(queue.inFlightAlarm), full] },
      {
        title: `${name}: age of the oldest, seconds`,
        left: [oldest(queue, 'oldest')],
        lines: alarmLine(queue.ageAlarm),
      },
    ]),
  ];
}

/** What is shown of a function that is invoked asynchronously. */
export function functionRows(failures: FunctionFailures): IWidget[][] {
  const { handler } = failures;
  const name = handler.functionName;
  const toDestination = failures.metricDestinationDeliveryFailures(sum('record not sent to destination', Color.ORANGE));
  const lost = failures.metricLostEvents(sum('not sent to the dead-letter queue', Color.RED));
  const hasAnother = failures.destinationFailuresAlarm && failures.deadLetterErrorsAlarm;
  const age = handler.metric('AsyncEventAge', { statistic: Stats.MAXIMUM, label: 'age of an event, ms (right)' });
  return [
    band(name, failures.alarms, [
      {
        title: `${name}: errors and throttles`,
        left: [handler.metricErrors(sum('errors', Color.ORANGE)), handler.metricThrottles(sum('throttles'))],
      },
      {
        title: `${name}: events given up`,
        left: [failures.metricAsyncEventsDropped(sum('given up', Color.PURPLE))],
        right: [age],
      },
      {
        title: `${name}: events lost`,
        left: [
          lost,
          ...(hasAnother ? [toDestination] : []),
          failures.metricRecursiveInvocationsDropped(sum('stopped in a loop', Color.BROWN)),
        ],
      },
    ]),
  ];
}
