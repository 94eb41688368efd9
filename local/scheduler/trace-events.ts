import type { ExhaustedRetryCondition } from '../event-delivery/delivery';
import type { Refused, ServiceContext } from '../kernel/service-api';

interface OfSchedule {
  readonly scheduleArn: string;
}

interface OfExecution extends OfSchedule {
  readonly executionId: string;
  readonly targetArn: string;
}

/** The trace events of EventBridge Scheduler. They hold names, never inputs. */
export type SchedulerTraceEvent =
  | { readonly type: 'scheduler.group-created' | 'scheduler.group-deleted'; readonly groupArn: string }
  | (OfSchedule & {
      readonly type: 'scheduler.schedule-created' | 'scheduler.schedule-updated';
      readonly expression: string;
      readonly state: string;
    })
  /** Deleted by a call, with its group, or after its last invocation. */
  | (OfSchedule & {
      readonly type: 'scheduler.schedule-deleted';
      readonly cause: 'DeleteSchedule' | 'DeleteScheduleGroup' | 'ActionAfterCompletion';
    })
  /** The scheduled time has come. With a flexible time window the target is invoked later. */
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
  /** The invocation is lost: there is no dead-letter queue, or it did not accept the invocation. */
  | (OfExecution & { readonly type: 'scheduler.dropped'; readonly code: string; readonly reason: string })
  | Refused<'scheduler'>;

export type SchedulerContext = ServiceContext<SchedulerTraceEvent>;
