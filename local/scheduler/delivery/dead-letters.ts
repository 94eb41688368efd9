import { assumeRole, DEAD_LETTER_RETRIES, deliverNow, type GivenUp, sendToQueue } from '../../event-delivery';
import type { Latency } from '../../kernel/caller';
import { firstBytes } from '../../kernel/text';
import type { SchedulerContext } from '../context';
import type { SchedulerMetrics } from '../metrics';
import type { SchedulerDependencies } from '../ports';
import { roleContext, SCHEDULER_SERVICE } from '../schedule-rules';
import { type Execution, inputOf } from './execution';

/** What a message in SQS may have, body and attributes together. */
const MAX_BYTES = 1024 * 1024;

/**
 * The attributes of a dead letter.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
function attributesOf({ schedule, definition, id, scheduledTime }: Execution, why: GivenUp, isTruncated: boolean) {
  const { error, exhausted, attempt } = why;
  return {
    ERROR_CODE: error.code,
    ERROR_MESSAGE: error.message,
    EXECUTION_ID: id,
    ...(exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
    IS_PAYLOAD_TRUNCATED: String(isTruncated),
    RETRY_ATTEMPTS: String(attempt - 1),
    SCHEDULED_TIME: scheduledTime,
    SCHEDULE_ARN: schedule.arn,
    TARGET_ARN: definition.target.Arn,
  };
}

function bytesOf(attributes: Readonly<Record<string, string>>): number {
  const members = Object.entries(attributes);
  return members.reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}String${value}`), 0);
}

/** A dead letter. */
interface DeadLetter {
  readonly body: string;
  readonly isTruncated: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What is left of an invocation that failed for good: a dead letter with the input, sent with the schedule's role; or nothing. */
export class DeadLetters {
  constructor(
    private readonly context: SchedulerContext,
    private readonly neighbours: Pick<SchedulerDependencies, 'sqs' | 'roles'>,
    private readonly metrics: SchedulerMetrics,
  ) {}

  send(execution: Execution, groupArn: string, why: GivenUp): void {
    const { schedule, definition, id } = execution;
    const about = { scheduleArn: schedule.arn, executionId: id, targetArn: definition.target.Arn };
    const { code } = why.error;
    const { trace } = this.context;
    const deadLetterQueueArn = definition.target.DeadLetterConfig?.Arn;
    if (deadLetterQueueArn === undefined) {
      trace.record({ type: 'scheduler.dropped', ...about, code, reason: why.error.reason });
      return;
    }
    const message = this.messageFor(execution, why);
    deliverNow(this.context.timeline, {
      policy: DEAD_LETTER_RETRIES,
      attempt: (_attempt, latency) => this.post(execution, groupArn, deadLetterQueueArn, message, latency),
      delivered: () => this.noteSent(execution, deadLetterQueueArn, message, why),
      givenUp: ({ error }) => {
        const failed = 'InvocationsFailedToBeSentToDeadLetterCount';
        this.metrics.count(failed, schedule.groupName);
        this.metrics.count(`${failed}_${error.code}`, schedule.groupName);
        const reason = `${deadLetterQueueArn}: ${error.reason}`;
        trace.record({ type: 'scheduler.dropped', ...about, code, reason });
      },
    });
  }

  private messageFor(execution: Execution, why: GivenUp): DeadLetter {
    const input = inputOf(execution, why.attempt, this.context.place);
    const room = MAX_BYTES - bytesOf(attributesOf(execution, why, false));
    const isTruncated = Buffer.byteLength(input) > room;
    return {
      body: firstBytes(input, room),
      isTruncated,
      attributes: attributesOf(execution, why, isTruncated),
    };
  }

  private post(
    { definition }: Execution,
    groupArn: string,
    queueArn: string,
    { body, attributes }: DeadLetter,
    latency: Latency,
  ): void {
    const context = roleContext(groupArn, this.context.place.account);
    const caller = assumeRole(this.neighbours.roles, SCHEDULER_SERVICE, definition.target.RoleArn, context);
    sendToQueue(this.neighbours.sqs, { ...caller, latency }, queueArn, body, { attributes });
  }

  private noteSent(execution: Execution, deadLetterQueueArn: string, { isTruncated }: DeadLetter, why: GivenUp): void {
    const { schedule, definition, id } = execution;
    const { error, exhausted } = why;
    if (isTruncated) {
      this.metrics.count('InvocationsSentToDeadLetterCount_Truncated_MessageSizeExceeded', schedule.groupName);
    }
    this.metrics.count('InvocationsSentToDeadLetterCount', schedule.groupName);
    this.context.trace.record({
      type: 'scheduler.dead-lettered',
      scheduleArn: schedule.arn,
      executionId: id,
      targetArn: definition.target.Arn,
      deadLetterQueueArn,
      code: error.code,
      ...(exhausted && { exhaustedRetryCondition: exhausted }),
    });
  }
}
