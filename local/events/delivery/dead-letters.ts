import { type GivenUp, sendToQueue } from '../../event-delivery';
import { parseArn } from '../../kernel/arn';
import { AwsError } from '../../kernel/aws-error';
import { serviceCaller } from '../../kernel/caller';
import type { Recorder } from '../../kernel/trace';
import type { EventsHappening } from '../happenings';
import type { EventsMetrics } from '../metrics';
import type { EventsNeighbours } from '../ports';
import { EVENTS_SERVICE, type Invocation } from './invocation';

/**
 * The attributes of a dead letter.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 */
function attributesOf({ rule, target }: Invocation, { error, reason, exhausted, attempt }: GivenUp) {
  return {
    RULE_ARN: rule.arn,
    TARGET_ARN: target.arn,
    ERROR_CODE: reason.code,
    ERROR_MESSAGE: error.message,
    ...(exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
    RETRY_ATTEMPTS: String(attempt - 1),
  };
}

/** What is left of an invocation that failed for good: a dead letter with the event as it came, or nothing. */
export class DeadLetters {
  constructor(
    private readonly sqs: EventsNeighbours['sqs'],
    private readonly metrics: EventsMetrics,
    private readonly trace: Recorder<EventsHappening>,
  ) {}

  send(invocation: Invocation, why: GivenUp): void {
    const { rule, target, event } = invocation;
    const about = { eventId: event.id, ruleArn: rule.arn, targetId: target.id, targetArn: target.arn };
    const errorCode = why.reason.code;
    const deadLetterQueueArn = target.definition.DeadLetterConfig?.Arn;
    if (deadLetterQueueArn === undefined) {
      this.trace.record({ type: 'events.dropped', ...about, errorCode, reason: why.error.reason });
      return;
    }
    try {
      const caller = serviceCaller(EVENTS_SERVICE, rule.arn, parseArn(rule.arn)?.account ?? '');
      const attributes = attributesOf(invocation, why);
      sendToQueue(this.sqs, caller, deadLetterQueueArn, event.json, { attributes });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      this.metrics.count('InvocationsFailedToBeSentToDlq', rule);
      const reason = `${deadLetterQueueArn}: ${error.reason}`;
      this.trace.record({ type: 'events.dropped', ...about, errorCode, reason });
      return;
    }
    this.metrics.count('InvocationsSentToDlq', rule);
    const { exhausted } = why;
    this.trace.record({
      type: 'events.dead-lettered',
      ...about,
      deadLetterQueueArn,
      errorCode,
      ...(exhausted && { exhaustedRetryCondition: exhausted }),
    });
  }
}
