import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { type Protocol, policyFor } from '../../../policy/outcome/protocol';
import { textMessageOf } from '../direct-messages/text-messages';
import type { Cause } from '../trace-events';
import { type AttemptEnd, answerOf, type Delivery } from '../transports/transport';
import { DeadLetterDelivery } from './dead-letter-delivery';
import type { DeliveryServices } from './delivery-services';
import { phoneDimensions, pushDimensions, type SnsCount } from './metrics';
import {
  type AbandonReason,
  type AttemptGate,
  type AttemptTime,
  type FinishedAttempt,
  type RetriedDelivery,
  RetryLoop,
} from './retry-loop';
import { statusRecord } from './status-log';

const NOTHING = (): void => {};

/** The longest time that a throttle holds a message. */
const MAX_HOLD_MS = 3_600_000;

const ABANDONED: Readonly<Record<AbandonReason, string>> = {
  'held-too-long': 'the throttle policy of the subscription held the message for an hour',
  unsubscribed: 'the subscription was deleted',
};

/**
 * Delivers one message to the endpoint of one subscription. A message that SNS cannot deliver goes to the dead-letter
 * queue of the subscription (`DeadLetterDelivery`).
 */
export class EndpointDelivery implements RetriedDelivery, AttemptGate {
  readonly protocol: Protocol;
  readonly gate = this;

  constructor(
    private readonly services: DeliveryServices,
    private readonly delivery: Delivery,
    /** Called when the message is delivered, dead-lettered or lost. */
    private readonly onSettled: () => void = NOTHING,
  ) {
    this.protocol = delivery.subscription.protocol;
  }

  start(): void {
    const { services } = this;
    new RetryLoop(services.context.timeline, services.jitter, this).proceed();
  }

  get healthyRetryPolicy(): RetryPolicy {
    return this.delivery.subscription.effectivePolicy.healthyRetryPolicy;
  }

  isWanted(): boolean {
    return !this.delivery.subscription.deleted;
  }

  nextAttemptTime(nowMs: number): AttemptTime | undefined {
    if (!this.isHttp) return undefined;
    const { subscription } = this.delivery;
    const { throttlePolicy } = subscription.effectivePolicy;
    if (!throttlePolicy) return undefined;
    const atMs = subscription.throttle.reserve(nowMs, throttlePolicy.maxReceivesPerSecond, MAX_HOLD_MS);
    return atMs === undefined ? { kind: 'never', untilMs: nowMs + MAX_HOLD_MS } : { kind: 'at', atMs };
  }

  attempt(report: (end: AttemptEnd) => void): void {
    this.services.transports[this.protocol].attempt(this.delivery, report);
  }

  finished(finished: FinishedAttempt): void {
    const { attempt, step } = finished;
    const { message, subscription } = this.delivery;
    const { topic } = message;
    const event = {
      type: 'sns.attempt',
      topicArn: topic.arn,
      messageId: message.id,
      subscriptionArn: subscription.arn,
      protocol: this.protocol,
      attempt,
      outcome: step.kind,
      reason: step.reason,
    } as const;
    this.services.context.trace.record(step.kind === 'retry' ? { ...event, delaySeconds: step.delaySeconds } : event);
    if (this.isHttp && step.kind !== 'delivered') this.services.metrics.count(topic, 'NumberOfNotificationsFailed');
    if (step.kind === 'delivered') this.delivered(finished);
    else if (step.kind === 'dead') {
      if (!this.isHttp) this.count('NumberOfNotificationsFailed', false);
      this.log(finished, false);
      this.sendToDeadLetterQueue({ kind: step.cause, ...answerOf(finished.end), reason: step.reason }, attempt);
    }
  }

  /**
   * SNS drops a message that the throttle has held for an hour. The dead-letter queue receives it.
   * **Assumption SNS-19:** A message is lost when its subscription is deleted while the message waits.
   */
  abandoned(why: AbandonReason, attempts: number): void {
    const cause: Cause = { kind: why, reason: ABANDONED[why] };
    // HTTP/S counts failed attempts. A message without any attempt counts once, so that the metric includes it.
    if (!this.isHttp || attempts === 0) this.count('NumberOfNotificationsFailed', false);
    if (why === 'unsubscribed') this.lost(cause, attempts);
    else this.sendToDeadLetterQueue(cause, attempts);
  }

  private get isHttp(): boolean {
    return policyFor(this.protocol) === 'delivery-policy';
  }

  private get names() {
    const { message, subscription } = this.delivery;
    return { topicArn: message.topic.arn, messageId: message.id, subscriptionArn: subscription.arn };
  }

  /**
   * Counts the end of the delivery by topic. For devices and phones, also by application or by type of text message.
   */
  private count(name: SnsCount, succeeded: boolean): void {
    const { metrics, phones } = this.services;
    const { message, subscription } = this.delivery;
    metrics.count(message.topic, name);
    if (this.protocol === 'application') metrics.countBy(pushDimensions(subscription.endpoint), name);
    if (this.protocol !== 'sms') return;
    const dimensions = phoneDimensions(subscription.endpoint, textMessageOf('', message.attributes, phones), false);
    metrics.countBy(dimensions, name);
    metrics.textMessage(dimensions, succeeded);
  }

  private delivered(finished: FinishedAttempt): void {
    const { context } = this.services;
    this.count('NumberOfNotificationsDelivered', true);
    const { message, subscription } = this.delivery;
    context.trace.record({
      type: 'sns.delivered',
      topicArn: message.topic.arn,
      messageId: message.id,
      subscriptionArn: subscription.arn,
      protocol: this.protocol,
      attempts: finished.attempt,
    });
    this.log(finished, true);
    this.onSettled();
  }

  private log({ attempt, startedAtMs, end }: FinishedAttempt, succeeded: boolean): void {
    const { message, subscription } = this.delivery;
    const { statusCode } = answerOf(end);
    this.services.statusLog.endedOf(message.topic, this.protocol, succeeded, deliveryId =>
      statusRecord(
        {
          messageId: message.id,
          topicArn: message.topic.arn,
          body: message.bodyFor(subscription.textKey),
          readyAtMs: message.publishedAtMs,
          startedAtMs,
          destination: subscription.endpoint,
          succeeded,
          ...(subscription.redrivePolicy && { deadLetterQueueArn: subscription.redrivePolicy.deadLetterTargetArn }),
          providerResponse: end.providerResponse(),
          ...(!(succeeded && this.protocol === 'lambda') && { attempts: attempt }),
          ...(statusCode !== undefined && { statusCode }),
        },
        deliveryId,
      ),
    );
  }

  private sendToDeadLetterQueue(cause: Cause, attempts: number): void {
    const { redrivePolicy } = this.delivery.subscription;
    if (!redrivePolicy) {
      this.lost(cause, attempts);
      return;
    }
    const { deadLetterTargetArn } = redrivePolicy;
    new DeadLetterDelivery(
      this.services,
      this.delivery,
      { deadLetterTargetArn, cause, attempts },
      this.onSettled,
    ).start();
  }

  private lost(cause: Cause, attempts: number): void {
    this.services.context.trace.record({ type: 'sns.lost', ...this.names, protocol: this.protocol, attempts, cause });
    this.onSettled();
  }
}
