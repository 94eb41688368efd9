import { assumeRole, type GivenUp, sendToQueue } from '../../event-delivery';
import { AwsError } from '../../kernel/aws-error';
import type { SchedulerContext } from '../context';
import type { SchedulerMetrics } from '../metrics';
import type { SchedulerNeighbours } from '../ports';
import { roleContext, SCHEDULER_SERVICE } from '../schedule-rules';
import { type Execution, inputOf } from './execution';

/** What a message in SQS may have, body and attributes together. */
const MOST_BYTES = 1024 * 1024;

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

/** The longest beginning of a text that has at most so many bytes; a character is never cut in two. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString();
  return text.startsWith(cut) ? cut : cut.slice(0, -1);
}

/** What is left of an invocation that failed for good: a dead letter with the input, sent with the schedule's role; or nothing. */
export class DeadLetters {
  constructor(
    private readonly context: SchedulerContext,
    private readonly neighbours: Pick<SchedulerNeighbours, 'sqs' | 'roles'>,
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
    const refusal = this.post(execution, groupArn, deadLetterQueueArn, why);
    if (refusal) {
      const failed = 'InvocationsFailedToBeSentToDeadLetterCount';
      this.metrics.count(failed, schedule.groupName);
      this.metrics.count(`${failed}_${refusal.code}`, schedule.groupName);
      const reason = `${deadLetterQueueArn}: ${refusal.reason}`;
      trace.record({ type: 'scheduler.dropped', ...about, code, reason });
      return;
    }
    this.metrics.count('InvocationsSentToDeadLetterCount', schedule.groupName);
    const { exhausted } = why;
    trace.record({
      type: 'scheduler.dead-lettered',
      ...about,
      deadLetterQueueArn,
      code,
      ...(exhausted && { exhaustedRetryCondition: exhausted }),
    });
  }

  /** Answers why the queue did not take it, if it did not. */
  private post(execution: Execution, groupArn: string, queueArn: string, why: GivenUp): AwsError | undefined {
    const { place } = this.context;
    const input = inputOf(execution, why.attempt, place);
    const room = MOST_BYTES - bytesOf(attributesOf(execution, why, false));
    const isTruncated = Buffer.byteLength(input) > room;
    const attributes = attributesOf(execution, why, isTruncated);
    try {
      const { RoleArn } = execution.definition.target;
      const caller = assumeRole(
        this.neighbours.roles,
        SCHEDULER_SERVICE,
        RoleArn,
        roleContext(groupArn, place.account),
      );
      sendToQueue(this.neighbours.sqs, caller, queueArn, isTruncated ? beginning(input, room) : input, { attributes });
    } catch (error) {
      if (error instanceof AwsError) return error;
      throw error;
    }
    if (isTruncated) {
      const name = 'InvocationsSentToDeadLetterCount_Truncated_MessageSizeExceeded';
      this.metrics.count(name, execution.schedule.groupName);
    }
    return undefined;
  }
}
