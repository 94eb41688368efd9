import { policyFor } from '../../../policy/outcome/protocol';
import { HOUR_MS } from '../../../policy/time-units';
import { textMessageOf } from '../direct-messages/text-messages';
import type { Subscription } from '../topic/topic-and-subscription';
import type { Cause } from '../trace-events';
import { answerOf, type Delivery } from '../transports/transport';
import type { DeliveryServices } from './delivery-services';
import { phoneDimensions, pushDimensions, type SnsCount } from './metrics';
import { type FinishedAttempt, retry } from './retry-loop';
import { type DeliveryStatus, statusRecord } from './status-log';

/** The longest time that a throttle holds a message. */
const MAX_HOLD_MS = HOUR_MS;

/** Why SNS makes no more attempts although the retry schedule has not ended. */
const ABANDONED = {
  'held-too-long': 'the throttle policy of the subscription held the message for an hour',
  unsubscribed: 'the subscription was deleted',
} as const;

type AbandonReason = keyof typeof ABANDONED;

/** One message to one subscription, and what its delivery needs. */
interface Task {
  readonly services: DeliveryServices;
  readonly delivery: Delivery;
  /** Called when the message is delivered, dead-lettered or lost. */
  readonly onSettled: () => void;
}

const isHttp = ({ protocol }: Subscription): boolean => policyFor(protocol) === 'delivery-policy';

const namesOf = ({ message, subscription }: Delivery) => {
  return { topicArn: message.topic.arn, messageId: message.id, subscriptionArn: subscription.arn };
};

/**
 * Delivers one message to the endpoint of one subscription. A message that SNS cannot deliver goes to the dead-letter
 * queue of the subscription.
 *
 * @param onSettled called when the message is delivered, dead-lettered or lost
 */
export function deliverToEndpoint(services: DeliveryServices, delivery: Delivery, onSettled = (): void => {}): void {
  const task: Task = { services, delivery, onSettled };
  const { subscription } = delivery;
  const { protocol } = subscription;
  retry(services, {
    protocol,
    retryPolicy: () => subscription.effectivePolicy.healthyRetryPolicy,
    gate: (attempts, attempt) => whenAllowed(task, attempts, attempt),
    attempt: report => services.transports[protocol].attempt(delivery, report),
    ended: finished => endpointAnswered(task, finished),
  });
}

/** Attempts as soon as the throttle of an HTTP/S subscription allows it, unless the subscription is deleted by then. */
function whenAllowed(task: Task, attempts: number, attempt: () => void): void {
  const { subscription } = task.delivery;
  const go = (): void => (subscription.deleted ? abandon(task, 'unsubscribed', attempts) : attempt());
  const throttle = isHttp(subscription) ? subscription.effectivePolicy.throttlePolicy : undefined;
  if (!throttle) {
    go();
    return;
  }
  const { timeline } = task.services.context;
  const { nowMs } = timeline;
  const atMs = subscription.throttle.reserve(nowMs, throttle.maxReceivesPerSecond, MAX_HOLD_MS);
  if (atMs === undefined) {
    const why = (): AbandonReason => (subscription.deleted ? 'unsubscribed' : 'held-too-long');
    timeline.at(nowMs + MAX_HOLD_MS, () => abandon(task, why(), attempts));
  } else if (atMs > nowMs) timeline.at(atMs, go);
  else go();
}

/**
 * SNS drops a message that the throttle has held for an hour. The dead-letter queue receives it.
 * **Assumption SNS-19:** A message is lost when its subscription is deleted while the message waits.
 */
function abandon(task: Task, why: AbandonReason, attempts: number): void {
  const cause: Cause = { kind: why, reason: ABANDONED[why] };
  // HTTP/S counts failed attempts. A message without any attempt counts once, so that the metric includes it.
  if (!isHttp(task.delivery.subscription) || attempts === 0) count(task, 'NumberOfNotificationsFailed', false);
  if (why === 'unsubscribed') lost(task, cause, attempts);
  else sendToDeadLetterQueue(task, cause, attempts);
}

function endpointAnswered(task: Task, finished: FinishedAttempt): void {
  const { services, delivery, onSettled } = task;
  const { attempt, step, end } = finished;
  const { message, subscription } = delivery;
  const { protocol } = subscription;
  const names = namesOf(delivery);
  const event = { type: 'sns.attempt', ...names, protocol, attempt, outcome: step.kind, reason: step.reason } as const;
  const { trace } = services.context;
  trace.record(step.kind === 'retry' ? { ...event, delaySeconds: step.delaySeconds } : event);
  const failsByAttempt = isHttp(subscription);
  if (failsByAttempt && step.kind !== 'delivered') services.metrics.count(message.topic, 'NumberOfNotificationsFailed');
  if (step.kind === 'retry') return;
  const succeeded = step.kind === 'delivered';
  if (succeeded) {
    count(task, 'NumberOfNotificationsDelivered', true);
    trace.record({ type: 'sns.delivered', ...names, protocol, attempts: attempt });
  } else if (!failsByAttempt) count(task, 'NumberOfNotificationsFailed', false);
  log(task, finished, protocol, {
    succeeded,
    readyAtMs: message.publishedAtMs,
    destination: subscription.endpoint,
    ...(subscription.redrivePolicy && { deadLetterQueueArn: subscription.redrivePolicy.deadLetterTargetArn }),
    ...(!(succeeded && protocol === 'lambda') && { attempts: attempt }),
  });
  if (succeeded) onSettled();
  else sendToDeadLetterQueue(task, { kind: step.cause, ...answerOf(end), reason: step.reason }, attempt);
}

/**
 * Counts the end of the delivery by topic. For devices and phones, also by application or by type of text message.
 */
function count({ services: { metrics, phones }, delivery }: Task, name: SnsCount, succeeded: boolean): void {
  const { message, subscription } = delivery;
  metrics.count(message.topic, name);
  if (subscription.protocol === 'application') metrics.countBy(pushDimensions(subscription.endpoint), name);
  if (subscription.protocol !== 'sms') return;
  const dimensions = phoneDimensions(subscription.endpoint, textMessageOf('', message.attributes, phones), false);
  metrics.countBy(dimensions, name);
  metrics.textMessage(dimensions, succeeded);
}

/**
 * Sends a message that SNS could not deliver to the dead-letter queue of the subscription, if it has one. AWS logs this as
 * a separate delivery with its own attempts.
 * **Assumption SNS-17:** SNS retries a server error of the dead-letter queue as it does for any subscribed queue. Only
 * a client error loses the message at once.
 * **Assumption SNS-18:** The record follows the topic's logging settings for SQS, because its destination is a queue.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 * @param attempts to deliver to the endpoint
 */
function sendToDeadLetterQueue(task: Task, cause: Cause, attempts: number): void {
  const { services, delivery, onSettled } = task;
  const { message, subscription } = delivery;
  if (!subscription.redrivePolicy) {
    lost(task, cause, attempts);
    return;
  }
  const { deadLetterTargetArn: deadLetterQueueArn } = subscription.redrivePolicy;
  const { timeline, trace } = services.context;
  const readyAtMs = timeline.nowMs;
  const logEnd = (finished: FinishedAttempt, succeeded: boolean): void =>
    log(task, finished, 'sqs', { succeeded, readyAtMs, destination: deadLetterQueueArn, attempts: finished.attempt });
  const names = namesOf(delivery);
  retry(services, {
    protocol: 'sqs',
    attempt: report => services.queues.send(deadLetterQueueArn, delivery, report),
    ended: finished => {
      const { step, attempt } = finished;
      if (step.kind === 'delivered') {
        services.metrics.count(message.topic, 'NumberOfNotificationsRedrivenToDlq');
        const { protocol } = subscription;
        trace.record({ type: 'sns.dead-lettered', ...names, protocol, deadLetterQueueArn, attempts, cause });
        logEnd(finished, true);
        onSettled();
        return;
      }
      const { kind: outcome, reason } = step;
      const retried = step.kind === 'retry' && { delaySeconds: step.delaySeconds };
      trace.record({
        type: 'sns.dead-letter-attempt',
        ...names,
        deadLetterQueueArn,
        attempt,
        outcome,
        reason,
        ...retried,
      });
      if (step.kind === 'retry') return;
      services.metrics.count(message.topic, 'NumberOfNotificationsFailedToRedriveToDlq');
      logEnd(finished, false);
      lost(task, cause, attempts, reason);
    },
  });
}

/** @param deadLetterFailure why the dead-letter queue did not accept it */
function lost(
  { services, delivery, onSettled }: Task,
  cause: Cause,
  attempts: number,
  deadLetterFailure?: string,
): void {
  services.context.trace.record({
    type: 'sns.lost',
    ...namesOf(delivery),
    protocol: delivery.subscription.protocol,
    attempts,
    cause,
    ...(deadLetterFailure !== undefined && { deadLetterFailure }),
  });
  onSettled();
}

type Ended = Pick<DeliveryStatus, 'succeeded' | 'readyAtMs' | 'destination' | 'deadLetterQueueArn' | 'attempts'>;

/** Writes the delivery-status record, if the topic logs deliveries of the protocol. */
function log(
  task: Task,
  { startedAtMs, end }: FinishedAttempt,
  protocol: Subscription['protocol'],
  ended: Ended,
): void {
  const { message, subscription } = task.delivery;
  const { statusCode } = answerOf(end);
  task.services.statusLog.endedOf(message.topic, protocol, ended.succeeded, deliveryId =>
    statusRecord(
      {
        ...ended,
        messageId: message.id,
        topicArn: message.topic.arn,
        body: message.bodyFor(subscription.textKey),
        startedAtMs,
        providerResponse: end.providerResponse(),
        ...(statusCode !== undefined && { statusCode }),
      },
      deliveryId,
    ),
  );
}
