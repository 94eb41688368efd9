import { administrator, type Caller } from '../kernel/caller';
import { type Api, accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import { SCHEDULER_ACTIONS } from './actions';
import { Dispatcher } from './dispatcher';
import type { SchedulerDependencies } from './ports';
import { ScheduleGroups } from './schedule';
import { ScheduleRunner } from './schedule-runner';
import { type SchedulerActionName, type SchedulerActions, SchedulerInternals } from './scheduler-actions';
import type { SchedulerContext } from './trace-events';

/**
 * Amazon EventBridge Scheduler: schedules that recur or happen once, in any time zone. It invokes queues, topics, functions
 * and event buses, and by universal targets whatever action of a service the embedded AWS has.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/what-is-scheduler.html
 */
export class EventBridgeScheduler implements Api<SchedulerActions> {
  private readonly api: ServiceApi<SchedulerInternals, SchedulerActions>;

  constructor(
    private readonly context: SchedulerContext,
    neighbours: SchedulerDependencies,
  ) {
    const { place, timeline } = context;
    const keeper = new RequestChecks('scheduler', context, accessDenied(place, 'AccessDeniedException', 403));
    const groups = new ScheduleGroups(place, timeline.nowMs);
    const runner = new ScheduleRunner(context, groups, new Dispatcher(context, neighbours));
    const internals = new SchedulerInternals(context, keeper, groups, runner, neighbours);
    this.api = new ServiceApi(keeper, SCHEDULER_ACTIONS, internals);
  }

  call<Name extends SchedulerActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SchedulerActions[Name]>,
  ): OutputOf<SchedulerActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** An administrator's view, for resources that are deployed. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }
}
