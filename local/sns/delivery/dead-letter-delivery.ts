import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import type { RedrivePolicy } from '../topic';
import type { Cause } from '../trace-events';
import type { AttemptEnd, Delivery } from '../transports/transport';
import type { DeliveryServices } from './delivery-services';
import { type FinishedAttempt, type RetriedDelivery, RetryLoop } from './retry-loop';
import { statusRecord } from './status-log';

/** Why a message goes to a dead-letter queue, and to which. */
interface Failure extends RedrivePolicy {
  readonly cause: Cause;
  /** To the endpoint. */
  readonly attempts: number;
}

/**
 * Brings a message that could not be delivered to the subscription's dead-letter queue. AWS logs this as a delivery of its
 * own, with attempts of its own; so, by our choice, a server error of the dead-letter queue is retried like one of any
 * subscribed queue, and only a client error loses the message at once.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export class DeadLetterDelivery implements RetriedDelivery {
  readonly protocol = 'sqs';
  /** Governs nothing: a queue's retries follow the AWS-managed policy. */
  readonly healthyRetryPolicy: RetryPolicy = DEFAULT_RETRY_POLICY;
  private readonly readyAtMs: number;

  constructor(
    private readonly services: DeliveryServices,
    private readonly delivery: Delivery,
    private readonly failure: Failure,
    /** Called once nothing more becomes of the message. */
    private readonly onSettled: () => void,
  ) {
    this.readyAtMs = services.context.timeline.nowMs;
  }

  start(): void {
    const { services } = this;
    new RetryLoop(services.context.timeline, services.jitter, this).proceed();
  }

  attempt(report: (end: AttemptEnd) => void): void {
    this.services.queues.send(this.failure.deadLetterTargetArn, this.delivery, report);
  }

  finished(finished: FinishedAttempt): void {
    const { step } = finished;
    if (step.kind === 'delivered') {
      this.deadLettered(finished);
      return;
    }
    this.services.context.trace.record({
      type: 'sns.redrive-attempt',
      ...this.names,
      deadLetterQueueArn: this.failure.deadLetterTargetArn,
      attempt: finished.attempt,
      outcome: step.kind,
      reason: step.reason,
      ...(step.kind === 'retry' && { delaySeconds: step.delaySeconds }),
    });
    if (step.kind === 'dead') this.lost(finished, step.reason);
  }

  private get names() {
    const { message, subscription } = this.delivery;
    return { topicArn: message.topic.arn, messageId: message.id, subscriptionArn: subscription.arn };
  }

  private deadLettered(finished: FinishedAttempt): void {
    const { context, metrics } = this.services;
    const { message, subscription } = this.delivery;
    metrics.count(message.topic, 'NumberOfNotificationsRedrivenToDlq');
    context.trace.record({
      type: 'sns.dead-lettered',
      ...this.names,
      protocol: subscription.protocol,
      deadLetterQueueArn: this.failure.deadLetterTargetArn,
      attempts: this.failure.attempts,
      cause: this.failure.cause,
    });
    this.log(finished, true);
    this.onSettled();
  }

  private lost(finished: FinishedAttempt, redriveFailure: string): void {
    const { context, metrics } = this.services;
    const { message, subscription } = this.delivery;
    metrics.count(message.topic, 'NumberOfNotificationsFailedToRedriveToDlq');
    this.log(finished, false);
    context.trace.record({
      type: 'sns.lost',
      ...this.names,
      protocol: subscription.protocol,
      attempts: this.failure.attempts,
      cause: this.failure.cause,
      redriveFailure,
    });
    this.onSettled();
  }

  /** The second record of a failed delivery: of the queue it went to, so under the topic's logging for queues (our choice). */
  private log({ attempt, startedAtMs, end }: FinishedAttempt, succeeded: boolean): void {
    const { message, subscription } = this.delivery;
    const { outcome } = end;
    this.services.statusLog.endedOf(message.topic, 'sqs', succeeded, deliveryId =>
      statusRecord(
        {
          messageId: message.id,
          topicArn: message.topic.arn,
          body: message.bodyFor(subscription.textKey),
          readyAtMs: this.readyAtMs,
          startedAtMs,
          destination: this.failure.deadLetterTargetArn,
          succeeded,
          providerResponse: end.providerResponse(),
          attempts: attempt,
          ...(outcome.kind === 'answered' && { statusCode: outcome.statusCode }),
        },
        deliveryId,
      ),
    );
  }
}
