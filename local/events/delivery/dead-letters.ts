import { parseArn } from '../../../policy/arn';
import { DEAD_LETTER_RETRIES, deliverNow, type GivenUp, sendToQueue } from '../../event-delivery';
import { serviceCaller } from '../../kernel/caller';
import type { Scheduler } from '../../kernel/timeline';
import type { Recorder } from '../../kernel/trace';
import type { EventsTraceEvent } from '../happenings';
import type { EventsMetrics } from '../metrics';
import type { EventsDependencies } from '../ports';
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
    private readonly sqs: EventsDependencies['sqs'],
    private readonly metrics: EventsMetrics,
    private readonly trace: Recorder<EventsTraceEvent>,
    private readonly timeline: Scheduler,
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
    const caller = serviceCaller(EVENTS_SERVICE, rule.arn, parseArn(rule.arn)?.account ?? '');
    const attributes = attributesOf(invocation, why);
    deliverNow(this.timeline, {
      policy: DEAD_LETTER_RETRIES,
      attempt: (_attempt, latency) =>
        sendToQueue(this.sqs, { ...caller, latency }, deadLetterQueueArn, event.json, { attributes }),
      delivered: () => this.noteSent(invocation, deadLetterQueueArn, why),
      givenUp: ({ error }) => {
        this.metrics.count('InvocationsFailedToBeSentToDlq', rule);
        const reason = `${deadLetterQueueArn}: ${error.reason}`;
        this.trace.record({ type: 'events.dropped', ...about, errorCode, reason });
      },
    });
  }

  private noteSent({ rule, target, event }: Invocation, deadLetterQueueArn: string, why: GivenUp): void {
    this.metrics.count('InvocationsSentToDlq', rule);
    const { exhausted } = why;
    this.trace.record({
      type: 'events.dead-lettered',
      eventId: event.id,
      ruleArn: rule.arn,
      targetId: target.id,
      targetArn: target.arn,
      deadLetterQueueArn,
      errorCode: why.reason.code,
      ...(exhausted && { exhaustedRetryCondition: exhausted }),
    });
  }
}
