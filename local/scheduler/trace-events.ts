import type { ExhaustedRetryCondition } from '../event-delivery';
import type { Refused, ServiceContext } from '../kernel/service-api';

interface OfSchedule {
  readonly scheduleArn: string;
}

interface OfExecution extends OfSchedule {
  readonly executionId: string;
  readonly targetArn: string;
}

/** What EventBridge Scheduler writes into the trace: names, never inputs. */
export type SchedulerTraceEvent =
  | { readonly type: 'scheduler.group-created' | 'scheduler.group-deleted'; readonly groupArn: string }
  | (OfSchedule & {
      readonly type: 'scheduler.schedule-created' | 'scheduler.schedule-updated';
      readonly expression: string;
      readonly state: string;
    })
  /** By somebody, with its group, or by itself after its last invocation. */
  | (OfSchedule & {
      readonly type: 'scheduler.schedule-deleted';
      readonly cause: 'DeleteSchedule' | 'DeleteScheduleGroup' | 'ActionAfterCompletion';
    })
  /** The time has come; with a flexible window the target is invoked later. */
  | (OfExecution & { readonly type: 'scheduler.due'; readonly scheduledTime: string; readonly invokeAtMs: number })
  | (OfExecution & { readonly type: 'scheduler.invoked'; readonly attempt: number })
  | (OfExecution & {
      readonly type: 'scheduler.invocation-failed';
      readonly attempt: number;
      readonly code: string;
      readonly reason: string;
      /** Undefined for the last attempt. */
      readonly nextAttemptAtMs?: number;
    })
  | (OfExecution & {
      readonly type: 'scheduler.dead-lettered';
      readonly deadLetterQueueArn: string;
      readonly code: string;
      readonly exhaustedRetryCondition?: ExhaustedRetryCondition;
    })
  /** The invocation is lost: there is no dead-letter queue, or it did not take it. */
  | (OfExecution & { readonly type: 'scheduler.dropped'; readonly code: string; readonly reason: string })
  | Refused<'scheduler'>;

export type SchedulerContext = ServiceContext<SchedulerTraceEvent>;
