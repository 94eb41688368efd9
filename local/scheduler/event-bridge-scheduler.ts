import { administrator, type Caller } from '../kernel/caller';
import { type Api, accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import type { SchedulerActionName, SchedulerActions } from './actions';
import { SCHEDULER_ACTIONS } from './actions';
import { Dispatcher } from './dispatcher';
import type { SchedulerDependencies } from './ports';
import { ScheduleGroups } from './schedule';
import { ScheduleRunner } from './schedule-runner';
import { SchedulerState } from './scheduler-state';
import type { SchedulerContext } from './trace-events';

/**
 * Amazon EventBridge Scheduler: recurring and one-time schedules in any time zone. It invokes queues, topics, functions
 * and event buses, and by universal targets any API action that the embedded AWS supports.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/what-is-scheduler.html
 */
export class EventBridgeScheduler implements Api<SchedulerActions> {
  private readonly api: ServiceApi<SchedulerState, SchedulerActions>;

  constructor(
    private readonly context: SchedulerContext,
    dependencies: SchedulerDependencies,
  ) {
    const { place, timeline } = context;
    const checks = new RequestChecks('scheduler', context, accessDenied(place, 'AccessDeniedException', 403));
    const groups = new ScheduleGroups(place, timeline.nowMs);
    const runner = new ScheduleRunner(context, groups, new Dispatcher(context, dependencies));
    const state = new SchedulerState(context, checks, groups, runner, dependencies);
    this.api = new ServiceApi<SchedulerState, SchedulerActions>(checks, SCHEDULER_ACTIONS, state);
  }

  call<Name extends SchedulerActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SchedulerActions[Name]>,
  ): OutputOf<SchedulerActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether this Scheduler supports an API action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** An administrator of the account, as which CloudFormation calls. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }
}
