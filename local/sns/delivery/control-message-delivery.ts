import { DEFAULT_CONTENT_TYPE } from '../../../policy/delivery-policy/delivery-policy';
import type { Protocol } from '../../../policy/outcome/protocol';
import { isoInstant } from '../../kernel/clock';
import type { ControlMessage, ControlMessageType } from '../envelope/envelopes';
import type { Subscription } from '../topic/topic-and-subscription';
import type { DeliveryServices } from './delivery-services';
import { type RetriedDelivery, retry } from './retry-loop';

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
 * Sends a subscription or unsubscribe confirmation to an endpoint, as new work at the current instant, after the API call
 * has returned. SNS retries it by the delivery policy of the subscription, without a throttle, while it is needed. A control
 * message that fails for good does not go to a dead-letter queue.
 * @see https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html
 * @param protocol of an endpoint that can confirm, or of a queue of another account
 */
export function sendControlMessage(
  services: DeliveryServices,
  subscription: Subscription,
  protocol: ConfirmedProtocol | 'sqs',
  type: ControlMessageType,
): void {
  const { random, timeline, trace } = services.context;
  const { topic, arn, endpoint } = subscription;
  const message: ControlMessage = { type, messageId: random.uuid(), timestamp: isoInstant(timeline.nowMs) };
  const body = (): string => services.envelopes.control(subscription, message);
  const delivery: RetriedDelivery = {
    protocol,
    retryPolicy: () => subscription.effectivePolicy.healthyRetryPolicy,
    gate: (_attempts, attempt) => {
      if (IS_WANTED[type](subscription)) attempt();
    },
    attempt: report => {
      if (protocol === 'email' || protocol === 'email-json') report(services.mail[protocol].ask(subscription, message));
      else if (protocol === 'sqs') services.queues.sendText(endpoint, topic, body(), report);
      else {
        const unsubscribed = type === 'UnsubscribeConfirmation' && { subscriptionArn: arn };
        const about = { messageType: type, messageId: message.messageId, topicArn: topic.arn, ...unsubscribed };
        services.http.post(endpoint, { ...about, contentType: DEFAULT_CONTENT_TYPE, body: body() }, report);
      }
    },
    ended: ({ attempt, step }) =>
      trace.record({
        type: 'sns.confirmation-attempt',
        topicArn: topic.arn,
        subscriptionArn: arn,
        messageType: type,
        attempt,
        outcome: step.kind,
        reason: step.reason,
      }),
  };
  timeline.after(0, () => retry(services, delivery));
}
