import { assumeRole, deliver, retryPolicyOf } from '../../event-delivery';
import type { Latency } from '../../kernel/caller';
import type { SchedulerContext } from '../context';
import { SchedulerMetrics } from '../metrics';
import type { SchedulerDependencies } from '../ports';
import { roleContext, SCHEDULER_SERVICE } from '../schedule-rules';
import { DeadLetters } from './dead-letters';
import { type Execution, inputOf } from './execution';
import { invokeTarget } from './invoke';

/** Invokes the targets of schedules, with their roles, again and again if need be. */
export class Dispatcher {
  private readonly metrics: SchedulerMetrics;
  private readonly deadLetters: DeadLetters;

  constructor(
    private readonly context: SchedulerContext,
    private readonly neighbours: SchedulerDependencies,
  ) {
    this.metrics = new SchedulerMetrics(context.metrics);
    this.deadLetters = new DeadLetters(context, neighbours, this.metrics);
  }

  /** @param ended is called when the target has been invoked, or given up */
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
    const caller = assumeRole(this.neighbours.roles, SCHEDULER_SERVICE, target.RoleArn, context);
    return invokeTarget(this.neighbours, { ...caller, latency }, target, inputOf(execution, attempt, place));
  }
}
