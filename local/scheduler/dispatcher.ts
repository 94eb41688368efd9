import { parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { DEAD_LETTER_RETRIES, deliver, deliverNow, type GivenUp, retryPolicyOf } from '../event-delivery/delivery';
import { assumeRole, putOneEvent, sendToQueue } from '../event-delivery/targets';
import { notImplemented } from '../kernel/aws-error';
import type { Caller, Latency } from '../kernel/caller';
import { firstBytes } from '../kernel/messaging';
import type { MetricSink } from '../kernel/telemetry';
import type { SchedulerDependencies } from './ports';
import { type Execution, inputOf, type ScheduleTarget } from './schedule';
import { roleContext, SCHEDULER_SERVICE } from './schedule-rules';
import { universalTarget } from './target-rules';
import type { SchedulerContext } from './trace-events';

/** Invokes the targets of schedules with their roles, and retries failed attempts. */
export class Dispatcher {
  private readonly metrics: SchedulerMetrics;
  private readonly deadLetters: DeadLetters;

  constructor(
    private readonly context: SchedulerContext,
    private readonly dependencies: SchedulerDependencies,
  ) {
    this.metrics = new SchedulerMetrics(context.metrics);
    this.deadLetters = new DeadLetters(context, dependencies, this.metrics);
  }

  /** @param ended called when the target was invoked, or the invocation has failed for good */
  dispatch(execution: Execution, groupArn: string, ended: () => void): void {
    const { trace, timeline } = this.context;
    const { schedule, definition, id } = execution;
    const about = { scheduleArn: schedule.arn, executionId: id, targetArn: definition.target.Arn };
    deliver(timeline, {
      policy: retryPolicyOf(definition.target.RetryPolicy),
      attempt: (attempt, latency) => this.attempt(execution, groupArn, attempt, latency),
      delivered: attempt => {
        trace.record({ type: 'scheduler.invoked', ...about, attempt });
        ended();
      },
      attemptFailed: ({ attempt, error, reason }, nextAttemptAtMs) => {
        this.metrics.count('TargetErrorCount', schedule.groupName);
        if (reason.code === 'THROTTLING') this.metrics.count('TargetErrorThrottledCount', schedule.groupName);
        const { code, reason: text } = error;
        const next = nextAttemptAtMs === undefined ? {} : { nextAttemptAtMs };
        trace.record({ type: 'scheduler.invocation-failed', ...about, attempt, code, reason: text, ...next });
      },
      givenUp: why => {
        this.metrics.count('InvocationDroppedCount', schedule.groupName);
        this.deadLetters.send(execution, groupArn, why);
        ended();
      },
    });
  }

  private attempt(execution: Execution, groupArn: string, attempt: number, latency: Latency): unknown {
    const { place } = this.context;
    const { definition, schedule } = execution;
    this.metrics.count('InvocationAttemptCount', schedule.groupName);
    const { target } = definition;
    const context = roleContext(groupArn, place.account);
    const caller = assumeRole(this.dependencies.roles, SCHEDULER_SERVICE, target.RoleArn, context);
    return invokeTarget(this.dependencies, { ...caller, latency }, target, inputOf(execution, attempt, place));
  }
}

type Invoke = (dependencies: SchedulerDependencies, caller: Caller, target: ScheduleTarget, input: string) => unknown;

/** By the service in the target's ARN. */
const TEMPLATED: Readonly<Record<string, Invoke>> = {
  sqs: ({ sqs }, caller, { Arn, SqsParameters }, input) => {
    sendToQueue(sqs, caller, Arn, input, { messageGroupId: SqsParameters?.MessageGroupId });
  },
  sns: ({ sns }, caller, { Arn }, input) => sns.call('Publish', caller, { TopicArn: Arn, Message: input }),
  lambda: ({ lambda }, caller, { Arn }, input) =>
    lambda.call('Invoke', caller, { FunctionName: Arn, InvocationType: 'Event', Payload: input }),
  events: ({ events }, caller, { Arn, EventBridgeParameters }, input) => {
    const { Source, DetailType } = EventBridgeParameters ?? {};
    const entry = { EventBusName: Arn, Source, DetailType, Detail: input };
    putOneEvent(events, caller, entry);
  },
};

/** Makes one attempt to invoke a target, with its role. */
function invokeTarget(
  dependencies: SchedulerDependencies,
  caller: Caller,
  target: ScheduleTarget,
  input: string,
): unknown {
  const universal = universalTarget(target.Arn);
  if (!universal) {
    const invoke = ownMember(TEMPLATED, parseArn(target.Arn)?.service ?? '');
    if (!invoke) throw notImplemented(`the schedule target ${target.Arn}`);
    return invoke(dependencies, caller, target, input);
  }
  const service = dependencies.services.get(universal.service);
  if (!service) throw notImplemented(`the universal target ${universal.service}:${universal.api}`);
  return service.call(universal.action, caller, JSON.parse(input));
}

/** Maximum size of an SQS message, body and attributes together. */
const MAX_BYTES = 1024 * 1024;

/**
 * The message attributes of a dead letter.
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

interface DeadLetter {
  readonly body: string;
  readonly isTruncated: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Sends the input of an invocation that failed for good to the schedule's dead-letter queue, with the schedule's role.
 * Drops it when there is no queue.
 */
export class DeadLetters {
  constructor(
    private readonly context: SchedulerContext,
    private readonly dependencies: Pick<SchedulerDependencies, 'sqs' | 'roles'>,
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
    const caller = assumeRole(this.dependencies.roles, SCHEDULER_SERVICE, definition.target.RoleArn, context);
    sendToQueue(this.dependencies.sqs, { ...caller, latency }, queueArn, body, { attributes });
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

/** @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/monitoring-cloudwatch.html */
type SchedulerMetric =
  | 'InvocationAttemptCount'
  | 'InvocationDroppedCount'
  | 'InvocationsFailedToBeSentToDeadLetterCount'
  | `InvocationsFailedToBeSentToDeadLetterCount_${string}`
  | 'InvocationsSentToDeadLetterCount'
  | 'InvocationsSentToDeadLetterCount_Truncated_MessageSizeExceeded'
  | 'TargetErrorCount'
  | 'TargetErrorThrottledCount';

/** The CloudWatch metrics of EventBridge Scheduler, by group and for the account. */
class SchedulerMetrics {
  constructor(private readonly sink: MetricSink) {}

  count(name: SchedulerMetric, ScheduleGroup: string): void {
    const dimensionSets: readonly Readonly<Record<string, string>>[] = [{ ScheduleGroup }, {}];
    for (const dimensions of dimensionSets) {
      this.sink.put({ namespace: 'AWS/Scheduler', name, dimensions, value: 1 });
    }
  }
}
