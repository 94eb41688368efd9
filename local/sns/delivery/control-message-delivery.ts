import { DEFAULT_CONTENT_TYPE, type RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import type { Protocol } from '../../../policy/outcome/protocol';
import { isoInstant } from '../../kernel/clock';
import type { ControlMessage, ControlMessageType } from '../envelope/envelopes';
import type { Subscription } from '../topic/topic';
import type { AttemptEnd } from '../transports/transport';
import type { DeliveryServices } from './delivery-services';
import { type AttemptGate, type FinishedAttempt, type RetriedDelivery, RetryLoop } from './retry-loop';

const CONFIRMED_BY_ENDPOINT = ['http', 'https', 'email', 'email-json'] as const;

type ConfirmedProtocol = (typeof CONFIRMED_BY_ENDPOINT)[number];

/** Whether SNS sends nothing to an endpoint of this protocol until the endpoint confirms the subscription. */
export function mustConfirm(protocol: Protocol): protocol is ConfirmedProtocol {
  return (CONFIRMED_BY_ENDPOINT as readonly Protocol[]).includes(protocol);
}

const IS_WANTED: Readonly<Record<ControlMessageType, (subscription: Subscription) => boolean>> = {
  SubscriptionConfirmation: ({ pending, deleted }) => pending && !deleted,
  UnsubscribeConfirmation: ({ deleted }) => deleted,
};

/**
 * Sends a subscription or unsubscribe confirmation to an endpoint. SNS retries it by the delivery policy of the
 * subscription. A control message that fails for good does not go to a dead-letter queue.
 * @see https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html
 */
export class ControlMessageDelivery implements RetriedDelivery, AttemptGate {
  readonly gate = this;
  private readonly message: ControlMessage;

  /** @param protocol of an endpoint that can confirm, or of a queue of another account */
  constructor(
    private readonly services: DeliveryServices,
    private readonly subscription: Subscription,
    readonly protocol: ConfirmedProtocol | 'sqs',
    type: ControlMessageType,
  ) {
    const { random, timeline } = services.context;
    this.message = { type, messageId: random.uuid(), timestamp: isoInstant(timeline.nowMs) };
  }

  /** Makes the first attempt as new work at the current instant, after the API call has returned. */
  start(): void {
    const { timeline } = this.services.context;
    const loop = new RetryLoop(timeline, this.services.jitter, this);
    timeline.after(0, () => loop.proceed());
  }

  get healthyRetryPolicy(): RetryPolicy {
    return this.subscription.effectivePolicy.healthyRetryPolicy;
  }

  isWanted(): boolean {
    return IS_WANTED[this.message.type](this.subscription);
  }

  /** Control messages are not throttled. */
  nextAttemptTime(): undefined {
    return undefined;
  }

  /** The subscription was confirmed, deleted or restored in the meantime, so the message is no longer needed. */
  abandoned(): void {}

  attempt(report: (end: AttemptEnd) => void): void {
    const { subscription, message, services } = this;
    if (this.protocol === 'email' || this.protocol === 'email-json') {
      report(services.mail[this.protocol].ask(subscription, message));
      return;
    }
    if (this.protocol === 'sqs') {
      const body = services.envelopes.control(subscription, message);
      services.queues.sendText(subscription.endpoint, subscription.topic, body, report);
      return;
    }
    const post = {
      messageType: message.type,
      messageId: message.messageId,
      topicArn: subscription.topic.arn,
      ...(message.type === 'UnsubscribeConfirmation' && { subscriptionArn: subscription.arn }),
      contentType: DEFAULT_CONTENT_TYPE,
      body: services.envelopes.control(subscription, message),
    };
    services.http.post(subscription.endpoint, post, report);
  }

  finished({ attempt, step }: FinishedAttempt): void {
    const { topic, arn } = this.subscription;
    this.services.context.trace.record({
      type: 'sns.confirmation-attempt',
      topicArn: topic.arn,
      subscriptionArn: arn,
      messageType: this.message.type,
      attempt,
      outcome: step.kind,
      reason: step.reason,
    });
  }
}
