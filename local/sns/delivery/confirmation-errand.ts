import { DEFAULT_CONTENT_TYPE, type RetryPolicy } from '../../../lib/policy/delivery-policy';
import type { Protocol } from '../../../lib/policy/protocol';
import { isoInstant } from '../../kernel/clock';
import type { Subscription } from '../subscription';
import type { AttemptEnd } from '../transports/transport';
import type { Dispatch } from './dispatch';
import { type Errand, type FinishedAttempt, type Gate, RetryLoop, type Turn } from './retry-loop';

const CONFIRMED_BY_ENDPOINT = ['http', 'https', 'email', 'email-json'] as const;

type ConfirmedProtocol = (typeof CONFIRMED_BY_ENDPOINT)[number];

/** Whether an endpoint of this protocol receives nothing until it has confirmed that it wants to. */
export function mustConfirm(protocol: Protocol): protocol is ConfirmedProtocol {
  return (CONFIRMED_BY_ENDPOINT as readonly Protocol[]).includes(protocol);
}

/**
 * Asks an endpoint to confirm its subscription, and asks again by the policy that governs the endpoint while it fails.
 * @see https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html
 */
export class ConfirmationErrand implements Errand, Gate {
  readonly gate = this;
  private readonly messageId: string;
  private readonly timestamp: string;

  constructor(
    private readonly dispatch: Dispatch,
    private readonly subscription: Subscription,
    readonly protocol: ConfirmedProtocol,
  ) {
    this.messageId = dispatch.context.random.uuid();
    this.timestamp = isoInstant(dispatch.context.timeline.nowMs);
  }

  /** Asks as soon as whatever happens now is done. */
  start(): void {
    const { timeline } = this.dispatch.context;
    timeline.after(0, new RetryLoop(timeline, this.dispatch.jitter, this).proceed);
  }

  get healthyRetryPolicy(): RetryPolicy {
    return this.subscription.effectivePolicy.healthyRetryPolicy;
  }

  isWanted(): boolean {
    return this.subscription.pending && !this.subscription.deleted;
  }

  turn(nowMs: number): Turn {
    return { kind: 'at', atMs: nowMs };
  }

  /** Somebody has confirmed, or unsubscribed, already: there is nothing to ask for. */
  abandoned(): void {}

  attempt(report: (end: AttemptEnd) => void): void {
    const { subscription, messageId, timestamp } = this;
    if (this.protocol === 'email' || this.protocol === 'email-json') {
      report(this.dispatch.mail[this.protocol].confirm(subscription, messageId, timestamp));
      return;
    }
    const post = {
      messageType: 'SubscriptionConfirmation' as const,
      messageId,
      topicArn: subscription.topic.arn,
      contentType: DEFAULT_CONTENT_TYPE,
      body: this.dispatch.envelopes.control(subscription, { type: 'SubscriptionConfirmation', messageId, timestamp }),
    };
    this.dispatch.http.post(subscription.endpoint, post, report);
  }

  finished({ attempt, step }: FinishedAttempt): void {
    const { topic, arn } = this.subscription;
    this.dispatch.context.trace.record({
      type: 'sns.confirmation-attempt',
      topicArn: topic.arn,
      subscriptionArn: arn,
      attempt,
      outcome: step.kind,
      reason: step.reason,
    });
  }
}
