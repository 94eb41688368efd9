import type { FlexibleTimeWindow } from '@aws-sdk/client-scheduler';
import { isoSeconds } from '../kernel/clock';
import type { Scheduled } from '../kernel/timeline';
import { nextOccurrence } from '../schedule-expression/schedule-expression';
import type { Dispatcher } from './dispatcher';
import type { Execution, Schedule, ScheduleGroups } from './schedule';
import type { SchedulerContext } from './trace-events';

const EXECUTION_ID_DIGITS = 16;

/** What a schedule waits for, and what it has under way. */
interface Running {
  readonly waiting: Set<Scheduled>;
  unended: number;
  isOver: boolean;
}

/**
 * Invokes targets when schedules say so: at the first instant of the minute in which AWS would do it. That the time comes is
 * no work in itself, so that a world with schedules can come to rest (a schedule that happens once, years from now, would
 * not let it either); what a schedule then invokes is.
 */
export class ScheduleRunner {
  private readonly running = new Map<Schedule, Running>();

  constructor(
    private readonly context: SchedulerContext,
    private readonly groups: ScheduleGroups,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** The schedule is new, or another one than before. */
  changed(schedule: Schedule): void {
    this.stop(schedule);
    if (schedule.definition.state !== 'ENABLED') return;
    const { nowMs } = this.context.timeline;
    const running: Running = { waiting: new Set(), unended: 0, isOver: false };
    this.running.set(schedule, running);
    const { startAtMs = nowMs, expression } = schedule.definition;
    // A rate begins at once; a time of day that is now has passed.
    this.awaitNext(schedule, running, startAtMs, expression.kind === 'rate' ? nowMs - 1 : nowMs);
  }

  /** Nothing more is invoked but what is under way. */
  stop(schedule: Schedule): void {
    for (const waiting of this.running.get(schedule)?.waiting ?? []) waiting.cancel();
    this.running.delete(schedule);
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

  private due(schedule: Schedule, running: Running, dueAtMs: number): void {
    const { random, trace } = this.context;
    const { definition } = schedule;
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

  /** "EventBridge Scheduler deletes the schedule after its last invocation", if it is to. */
  private completed(schedule: Schedule, running: Running): void {
    if (!running.isOver || running.unended > 0 || this.running.get(schedule) !== running) return;
    if (schedule.definition.actionAfterCompletion !== 'DELETE') return;
    this.stop(schedule);
    this.groups.removeSchedule(schedule);
    const cause = 'ActionAfterCompletion';
    this.context.trace.record({ type: 'scheduler.schedule-deleted', scheduleArn: schedule.arn, cause });
  }

  /** A moment within the window, to the second. */
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
