import type { FlexibleTimeWindow } from '@aws-sdk/client-scheduler';
import { isoSeconds } from '../kernel/clock';
import type { Scheduled } from '../kernel/timeline';
import { nextOccurrence } from '../schedule-expression/schedule-expression';
import type { Dispatcher } from './dispatcher';
import type { Execution, Schedule, ScheduleGroups } from './schedule';
import type { SchedulerContext } from './trace-events';

const EXECUTION_ID_DIGITS = 16;

/** The timer of a schedule, and its current executions. */
interface Running {
  readonly waiting: Set<Scheduled>;
  unended: number;
  isOver: boolean;
}

/**
 * Invokes targets by schedule, at the first instant of the minute in which AWS would. The timers run in the background,
 * so that a simulation with schedules can become idle, even with a one-time schedule years ahead. The work that a
 * schedule starts does not.
 */
export class ScheduleRunner {
  private readonly running = new Map<Schedule, Running>();

  constructor(
    private readonly context: SchedulerContext,
    private readonly groups: ScheduleGroups,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Starts or restarts a new or changed schedule. */
  changed(schedule: Schedule): void {
    this.stop(schedule);
    if (schedule.definition.state !== 'ENABLED') return;
    const { nowMs } = this.context.timeline;
    const running: Running = { waiting: new Set(), unended: 0, isOver: false };
    this.running.set(schedule, running);
    const { startAtMs = nowMs, expression } = schedule.definition;
    // A rate starts at once. A scheduled time equal to now counts as past.
    this.awaitNext(schedule, running, startAtMs, expression.kind === 'rate' ? nowMs - 1 : nowMs);
  }

  stop(schedule: Schedule): void {
    for (const waiting of this.running.get(schedule)?.waiting ?? []) waiting.cancel();
    this.running.delete(schedule);
  }

  /** Invokes the target of an enabled schedule now, with another input. */
  run(schedule: Schedule, input: string): void {
    const { definition } = schedule;
    const running = this.running.get(schedule);
    if (!running) return;
    const target = { ...definition.target, Input: input };
    const once = { ...definition, target, flexibleTimeWindow: { Mode: 'OFF' as const } };
    this.due(schedule, running, this.context.timeline.nowMs, once);
  }

  private awaitNext(schedule: Schedule, running: Running, startMs: number, afterMs: number): void {
    const { expression, zone, endAtMs = Number.POSITIVE_INFINITY } = schedule.definition;
    const dueAtMs = nextOccurrence(expression, { startMs, zone }, afterMs);
    if (dueAtMs === undefined || dueAtMs > endAtMs) {
      running.isOver = true;
      return;
    }
    this.inBackground(running, dueAtMs, () => {
      this.due(schedule, running, dueAtMs);
      this.awaitNext(schedule, running, startMs, dueAtMs);
    });
  }

  private due(schedule: Schedule, running: Running, dueAtMs: number, definition = schedule.definition): void {
    const { random, trace } = this.context;
    const invokeAtMs = dueAtMs + this.delayMs(definition.flexibleTimeWindow);
    const id = random.hex(EXECUTION_ID_DIGITS);
    const execution: Execution = { schedule, definition, id, scheduledTime: isoSeconds(dueAtMs) };
    trace.record({
      type: 'scheduler.due',
      scheduleArn: schedule.arn,
      executionId: id,
      targetArn: definition.target.Arn,
      scheduledTime: execution.scheduledTime,
      invokeAtMs,
    });
    running.unended += 1;
    if (invokeAtMs === dueAtMs) this.invoke(execution, running);
    else this.inBackground(running, invokeAtMs, () => this.invoke(execution, running));
  }

  private invoke(execution: Execution, running: Running): void {
    const { schedule } = execution;
    this.dispatcher.dispatch(execution, this.groups.groupArn(schedule.groupName), () => {
      running.unended -= 1;
      this.completed(schedule, running);
    });
  }

  /** Deletes the schedule after its last invocation, if `ActionAfterCompletion` says so. */
  private completed(schedule: Schedule, running: Running): void {
    if (!running.isOver || running.unended > 0 || this.running.get(schedule) !== running) return;
    if (schedule.definition.actionAfterCompletion !== 'DELETE') return;
    this.stop(schedule);
    this.groups.removeSchedule(schedule);
    const cause = 'ActionAfterCompletion';
    this.context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
  }

  /** Returns a random delay within the flexible time window, in whole seconds. */
  private delayMs({ Mode, MaximumWindowInMinutes: minutes = 0 }: FlexibleTimeWindow): number {
    return Mode === 'FLEXIBLE' ? this.context.random.integer(0, minutes * 60 - 1) * 1000 : 0;
  }

  private inBackground(running: Running, dueAtMs: number, task: () => void): void {
    const waiting = this.context.timeline.inBackground(dueAtMs, () => {
      running.waiting.delete(waiting);
      task();
    });
    running.waiting.add(waiting);
  }
}
