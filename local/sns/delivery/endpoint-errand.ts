import type { RetryPolicy } from '../../../lib/policy/delivery-policy';
import { type Protocol, policyFor } from '../../../lib/policy/protocol';
import type { Cause } from '../happenings';
import type { AttemptEnd, Delivery } from '../transports/transport';
import { DeadLetterErrand } from './dead-letter-errand';
import type { Dispatch } from './dispatch';
import { type Abandonment, type Errand, type FinishedAttempt, type Gate, RetryLoop, type Turn } from './retry-loop';

/** How long a throttled delivery is held at most. */
const MAX_HOLD_MS = 3_600_000;

const ABANDONED: Readonly<Record<Abandonment, string>> = {
  'held-too-long': 'the subscription takes fewer messages than are published: held for an hour',
  unsubscribed: 'the subscription was deleted',
};

/** How an attempt ended, as a cause names it. */
function answerOf({ outcome }: AttemptEnd): Pick<Cause, 'statusCode' | 'errorCode'> {
  if (outcome.kind === 'unanswered') return {};
  const { statusCode, errorCode } = outcome;
  return { statusCode, ...(errorCode !== undefined && { errorCode }) };
}

/** Brings one message to one subscriber's endpoint, or else to the subscription's dead-letter queue. */
export class EndpointErrand implements Errand, Gate {
  readonly protocol: Protocol;
  readonly gate = this;

  constructor(
    private readonly dispatch: Dispatch,
    private readonly delivery: Delivery,
    /** Called once nothing more becomes of the message. */
    private readonly over: () => void = () => {},
  ) {
    this.protocol = delivery.subscription.protocol;
  }

  start(): void {
    const { dispatch } = this;
    new RetryLoop(dispatch.context.timeline, dispatch.jitter, this).proceed();
  }

  get healthyRetryPolicy(): RetryPolicy {
    return this.delivery.subscription.effectivePolicy.healthyRetryPolicy;
  }

  isWanted(): boolean {
    return !this.delivery.subscription.deleted;
  }

  turn(nowMs: number): Turn {
    if (!this.isHttp) return { kind: 'at', atMs: nowMs };
    const { subscription } = this.delivery;
    const { throttlePolicy } = subscription.effectivePolicy;
    if (!throttlePolicy) return { kind: 'at', atMs: nowMs };
    const atMs = subscription.throttle.reserve(nowMs, throttlePolicy.maxReceivesPerSecond, MAX_HOLD_MS);
    return atMs === undefined ? { kind: 'never', untilMs: nowMs + MAX_HOLD_MS } : { kind: 'at', atMs };
  }

  attempt(report: (end: AttemptEnd) => void): void {
    this.dispatch.transports[this.protocol].attempt(this.delivery, report);
  }

  finished(finished: FinishedAttempt): void {
    const { attempt, step } = finished;
    const { topic } = this.delivery.message;
    this.dispatch.context.trace.record({
      type: 'sns.attempt',
      ...this.names,
      protocol: this.protocol,
      attempt,
      outcome: step.kind,
      reason: step.reason,
      ...(step.kind === 'retry' && { delaySeconds: step.delaySeconds }),
    });
    if (this.isHttp && step.kind !== 'delivered') this.dispatch.metrics.count(topic, 'NumberOfNotificationsFailed');
    if (step.kind === 'delivered') this.delivered(finished);
    else if (step.kind === 'dead') {
      if (!this.isHttp) this.dispatch.metrics.count(topic, 'NumberOfNotificationsFailed');
      this.log(finished, false);
      this.deadLetter({ kind: step.cause, ...answerOf(finished.end), reason: step.reason }, attempt);
    }
  }

  /**
   * What is held for an hour is dropped, and a dead-letter queue keeps what SNS drops. AWS does not say what becomes of a
   * message whose subscription is deleted meanwhile: that it is lost is our choice.
   */
  abandoned(why: Abandonment, attempts: number): void {
    const cause: Cause = { kind: why, reason: ABANDONED[why] };
    // An HTTP/S message counts by its failed attempts; one that never had any counts once, so that none goes uncounted.
    if (!this.isHttp || attempts === 0) {
      this.dispatch.metrics.count(this.delivery.message.topic, 'NumberOfNotificationsFailed');
    }
    if (why === 'unsubscribed') this.lost(cause, attempts);
    else this.deadLetter(cause, attempts);
  }

  private get isHttp(): boolean {
    return policyFor(this.protocol) === 'delivery-policy';
  }

  private get names() {
    const { message, subscription } = this.delivery;
    return { topicArn: message.topic.arn, messageId: message.id, subscriptionArn: subscription.arn };
  }

  private delivered(finished: FinishedAttempt): void {
    const { context, metrics } = this.dispatch;
    metrics.count(this.delivery.message.topic, 'NumberOfNotificationsDelivered');
    context.trace.record({
      type: 'sns.delivered',
      ...this.names,
      protocol: this.protocol,
      attempts: finished.attempt,
    });
    this.log(finished, true);
    this.over();
  }

  private log({ attempt, startedAtMs, end }: FinishedAttempt, succeeded: boolean): void {
    const { message, subscription } = this.delivery;
    const { statusCode } = answerOf(end);
    this.dispatch.statusLog.ended(message.topic, this.protocol, succeeded, () => ({
      message,
      body: message.bodyFor(subscription.textKey),
      readyAtMs: message.publishedAtMs,
      startedAtMs,
      destination: subscription.endpoint,
      succeeded,
      ...(subscription.redrivePolicy && { deadLetterQueueArn: subscription.redrivePolicy.deadLetterTargetArn }),
      providerResponse: end.providerResponse(),
      ...(!(succeeded && this.protocol === 'lambda') && { attempts: attempt }),
      ...(statusCode !== undefined && { statusCode }),
    }));
  }

  private deadLetter(cause: Cause, attempts: number): void {
    const { redrivePolicy } = this.delivery.subscription;
    if (!redrivePolicy) {
      this.lost(cause, attempts);
      return;
    }
    const { deadLetterTargetArn } = redrivePolicy;
    new DeadLetterErrand(this.dispatch, this.delivery, { deadLetterTargetArn, cause, attempts }, this.over).start();
  }

  private lost(cause: Cause, attempts: number): void {
    this.dispatch.context.trace.record({ type: 'sns.lost', ...this.names, protocol: this.protocol, attempts, cause });
    this.over();
  }
}
