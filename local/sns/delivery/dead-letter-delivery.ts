import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import type { RedrivePolicy } from '../topic/topic';
import type { Cause } from '../trace-events';
import type { AttemptEnd, Delivery } from '../transports/transport';
import type { DeliveryServices } from './delivery-services';
import { type FinishedAttempt, type RetriedDelivery, RetryLoop } from './retry-loop';
import { statusRecord } from './status-log';

/** Why a message goes to a dead-letter queue, and to which queue. */
interface Failure extends RedrivePolicy {
  readonly cause: Cause;
  /** Attempts to deliver to the endpoint. */
  readonly attempts: number;
}

/**
 * Sends a message that SNS could not deliver to the dead-letter queue of the subscription. AWS logs this as a separate
 * delivery with its own attempts.
 * **Assumption SNS-17:** SNS retries a server error of the dead-letter queue as it does for any subscribed queue. Only
 * a client error loses the message at once.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export class DeadLetterDelivery implements RetriedDelivery {
  readonly protocol = 'sqs';
  /** Not used: the AWS-managed policy governs the retries of a queue. */
  readonly healthyRetryPolicy: RetryPolicy = DEFAULT_RETRY_POLICY;
  private readonly readyAtMs: number;

  constructor(
    private readonly services: DeliveryServices,
    private readonly delivery: Delivery,
    private readonly failure: Failure,
    /** Called when the message is in the dead-letter queue or lost. */
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
      type: 'sns.dead-letter-attempt',
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

  private lost(finished: FinishedAttempt, deadLetterFailure: string): void {
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
      deadLetterFailure,
    });
    this.onSettled();
  }

  /**
   * Writes the second record of a failed delivery.
   * **Assumption SNS-18:** The record follows the topic's logging settings for SQS, because its destination is a queue.
   */
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
