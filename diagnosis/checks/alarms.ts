import { isKnown, knownValue } from '../../template/maybe-known';
import { type Arrival, enableAlarmActions, watchLosses, watchQueue } from '../fixes/alarms';
import { countsAsSent, deadLetterQueues, type FedQueue, type QueueFeeder } from '../inventory/feeders';
import { type AlarmFacts, type Inventory, mayLack, type QueueFacts, type Resource } from '../inventory/inventory';
import { hasEffect, lossesOf, metricsOf, sentMetrics, usualAction, watchersOf } from '../inventory/watching-alarms';
import { NEVER_NEGATIVE } from './alarm-thresholds';
import type { Check, CheckResult } from './finding';

type Fed = FedQueue & { readonly queue: QueueFacts };

/** Dead-letter queues, except those that a function or pipe reads: it sees each message. */
function fedQueues(inventory: Inventory): Fed[] {
  const { mappings, queueUsers = [] } = inventory;
  if (!queueUsers.every(it => isKnown(it.sourceArn)) || mayLack(inventory, 'mappings', 'queueUsers')) return [];
  const read = new Set(
    [...mappings.filter(it => it.isEnabled !== false), ...queueUsers].map(it => knownValue(it.sourceArn)),
  );
  return deadLetterQueues(inventory).filter((it): it is Fed => it.queue !== undefined && !read.has(it.arn));
}

function mayBeWatched(feeder: QueueFeeder, inventory: Inventory): boolean {
  return watchersOf(metricsOf(feeder), inventory).length > 0;
}

function unwatchedFeeders({ feeders }: Fed, inventory: Inventory): QueueFeeder[] {
  return mayLack(inventory, 'alarms') ? [] : feeders.filter(it => !mayBeWatched(it, inventory));
}

/** An alarm on a metric of sent messages, which does not count what the unwatched feeders bring. */
function alarmOnSent({ arn }: Fed, inventory: Inventory): AlarmFacts | undefined {
  return watchersOf(sentMetrics(arn), inventory).find(({ isSure }) => isSure)?.alarm;
}

function arrivalsOf(feeders: readonly QueueFeeder[]): Arrival[] {
  const arrivals = new Set(feeders.map((it): Arrival => (countsAsSent(it) ? 'sent' : 'moved')));
  return (['sent', 'moved'] as const).filter(it => arrivals.has(it));
}

function unwatched(inventory: Inventory): CheckResult[] {
  const action = usualAction(inventory);
  return fedQueues(inventory).flatMap((fed): CheckResult[] => {
    const feeders = unwatchedFeeders(fed, inventory);
    const { queue } = fed;
    if (feeders.length === 0 || alarmOnSent(fed, inventory)) return [];
    return [
      {
        severity: 'unwatched',
        resource: queue,
        others: feeders.map(it => it.resource.arn),
        says: `No alarm reports the dead letters in ${queue.name} that come from ${feeders.map(it => it.resource.name).join(', ')}.`,
        fix: watchQueue(queue, arrivalsOf(feeders), action),
      },
    ];
  });
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-troubleshooting.html */
function onSentAlone(inventory: Inventory): CheckResult[] {
  const action = usualAction(inventory);
  return fedQueues(inventory).flatMap((fed): CheckResult[] => {
    const alarm = alarmOnSent(fed, inventory);
    const feeders = unwatchedFeeders(fed, inventory);
    if (alarm === undefined || feeders.length === 0) return [];
    return [
      {
        severity: 'unwatched',
        resource: alarm,
        others: [fed.arn, ...feeders.map(it => it.resource.arn)],
        location: 'Properties/MetricName',
        says: `The alarm ${alarm.name} watches messages sent to ${fed.queue.name}. SQS does not count those it moves itself from ${feeders.map(it => it.resource.name).join(', ')}, so the alarm never fires for them.`,
        fix: watchQueue(fed.queue, ['moved'], action),
      },
    ];
  });
}

function withoutAction(inventory: Inventory): CheckResult[] {
  if (mayLack(inventory, 'alarms')) return [];
  const { alarms } = inventory;
  const found = fedQueues(inventory).flatMap(({ queue, feeders }) => {
    const metrics = feeders.flatMap(metricsOf);
    const watching = watchersOf(metrics, inventory);
    const isSilent = watching.every(({ alarm, isSure }) => isSure && hasEffect(alarm, alarms) === 'no');
    return isSilent ? watching.map(({ alarm }) => ({ alarm, queue })) : [];
  });
  const [action] = usualAction(inventory);
  return found.map(({ alarm, queue }) => {
    const isDisabled = alarm.actionsEnabled === false;
    return {
      severity: 'unwatched',
      resource: alarm,
      others: [queue.arn],
      location: isDisabled ? 'Properties/ActionsEnabled' : 'Properties/AlarmActions',
      says: `The alarm ${alarm.name} fires on dead letters in ${queue.name}, but ${isDisabled ? 'its actions are disabled' : 'it has no action'}: it notifies no one.`,
      fix: isDisabled
        ? enableAlarmActions(alarm)
        : { says: `Give the alarm an action, such as ${action ?? 'a topic with a confirmed subscription'}.` },
    };
  });
}

/** Other alarms on messages that have actions, which are disabled, and no composite alarm that acts for them. */
function disabled(inventory: Inventory, reported: ReadonlySet<Resource>): CheckResult[] {
  if (mayLack(inventory, 'alarms')) return [];
  const { alarms } = inventory;
  return alarms
    .filter(alarm => {
      const { actionsEnabled, alarmActions, metrics } = alarm;
      if (reported.has(alarm) || actionsEnabled !== false) return false;
      const isOfMessages = metrics.some(({ namespace }) => NEVER_NEGATIVE.has(namespace));
      const hasActions = isKnown(alarmActions) && alarmActions.length > 0;
      return isOfMessages && hasActions && hasEffect(alarm, alarms) === 'no';
    })
    .map(resource => ({
      severity: 'unwatched',
      resource,
      location: 'Properties/ActionsEnabled',
      says: `The actions of the alarm ${resource.name} are disabled: when it fires, it notifies no one.`,
      fix: enableAlarmActions(resource),
    }));
}

function silent(inventory: Inventory): CheckResult[] {
  const found = withoutAction(inventory);
  return [...found, ...disabled(inventory, new Set(found.map(({ resource }) => resource)))];
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html */
function lossesUnwatched(inventory: Inventory): CheckResult[] {
  if (mayLack(inventory, 'alarms')) return [];
  const action = usualAction(inventory);
  const withDeadLetterQueue = inventory.subscriptions.filter(
    ({ deadLetterTargetArn: target }) => isKnown(target) && target !== undefined,
  );
  const arns = new Set(withDeadLetterQueue.map(it => knownValue(it.topicArn)));
  return inventory.topics.flatMap((topic): CheckResult[] => {
    if (!arns.has(topic.arn)) return [];
    const name = 'NumberOfNotificationsFailedToRedriveToDlq';
    if (watchersOf([lossesOf(topic, name)], inventory).length > 0) return [];
    return [
      {
        severity: 'unwatched',
        resource: topic,
        says: `No alarm watches ${name} of ${topic.name}: a message that SNS can put into no dead-letter queue is lost, and no other metric shows it.`,
        fix: watchLosses(topic, name, action),
      },
    ];
  });
}

export const ALARM_CHECKS: readonly Check[] = [
  { id: 'dead-letters-unwatched', severities: ['unwatched'], reportsMissing: 'alarm', find: unwatched },
  { id: 'alarm-on-sent-never-fires', severities: ['unwatched'], reportsMissing: 'alarm', find: onSentAlone },
  { id: 'alarm-tells-nobody', severities: ['unwatched'], reportsMissing: 'alarm', find: silent },
  { id: 'losses-unwatched', severities: ['unwatched'], reportsMissing: 'alarm', find: lossesUnwatched },
];
