import { DAY_MS } from '../../policy/time-units';
import type { LocalAws } from '../facade/local-aws';
import { nextOccurrence, type ScheduleExpression, TimeZone } from '../schedule-expression/schedule-expression';
import { idOf } from './sources';

/** When a schedule runs, or a rule with a schedule. */
interface Runs {
  readonly arn: string;
  readonly text: string;
  readonly targets: readonly string[];
  /** In milliseconds since the epoch, in order. */
  readonly atMs: readonly number[];
}

/** By id. */
export type ScheduleRuns = ReadonlyMap<string, Runs>;

/** As many runs are compared, of the next five years. */
const RUNS = 20;
const YEARS_MS = 5 * 365 * DAY_MS;

/** The next runs of all schedules that are enabled. */
export function scheduleRunsOf(aws: LocalAws): ScheduleRuns {
  const utc = TimeZone.named('UTC');
  return new Map<string, Runs>(
    aws.whole.all.flatMap(({ scheduler, events }) => [
      ...scheduler.schedules().flatMap(({ arn, definition }) => {
        const { expression, zone, startAtMs, endAtMs, text, target, state } = definition;
        if (state !== 'ENABLED') return [];
        const atMs = runsOf(expression, zone, { fromMs: aws.nowMs, startAtMs, endAtMs });
        return [[idOf(aws, 'AWS::Scheduler::Schedule', arn), { arn, text, targets: [target.Arn], atMs }] as const];
      }),
      ...events.rules().flatMap(({ arn, schedule, definition, targets }) => {
        const { isEnabled, scheduleExpression: text = '' } = definition;
        if (schedule === undefined || utc === undefined || !isEnabled) return [];
        const atMs = runsOf(schedule, utc, { fromMs: aws.nowMs });
        const arns = [...targets.values()].map(target => target.arn);
        return [[idOf(aws, 'AWS::Events::Rule', arn), { arn, text, targets: arns, atMs }] as const];
      }),
    ]),
  );
}

interface Period {
  readonly fromMs: number;
  readonly startAtMs?: number | undefined;
  readonly endAtMs?: number | undefined;
}

function runsOf(
  expression: ScheduleExpression,
  zone: TimeZone,
  { fromMs, startAtMs = fromMs, endAtMs = Number.POSITIVE_INFINITY }: Period,
): readonly number[] {
  const untilMs = Math.min(endAtMs, fromMs + YEARS_MS);
  const runs: number[] = [];
  for (let atMs: number | undefined = fromMs; runs.length < RUNS; ) {
    atMs = nextOccurrence(expression, { startMs: startAtMs, zone }, atMs);
    if (atMs === undefined || atMs > untilMs) break;
    runs.push(atMs);
  }
  return runs;
}

/** A schedule that runs less often than before, by more than one of its next runs. */
interface RarerSchedule {
  readonly arn: string;
  readonly targets: readonly string[];
  readonly missing: number;
  readonly why: string;
}

/** Schedules that both versions have, of which the new one runs less often while the old one runs {@link RUNS} times. */
export function rarerSchedules(old: ScheduleRuns, next: ScheduleRuns): readonly RarerSchedule[] {
  return [...next].flatMap(([id, { arn, text, targets, atMs }]) => {
    const before = old.get(id);
    if (before === undefined || before.atMs.length === 0) return [];
    const lastMs = before.atMs.length < RUNS ? Number.POSITIVE_INFINITY : (before.atMs.at(-1) ?? 0);
    const runs = atMs.filter(it => it <= lastMs).length;
    if (runs > 0 && runs >= before.atMs.length - 1) return [];
    const missing = before.atMs.length - runs;
    const was = before.text === text ? 'the old version' : before.text;
    const why = `the schedule ${id} (${text}) runs ${runs} times in the time in which ${was} runs ${before.atMs.length} times`;
    return [{ arn, targets: [...new Set([...before.targets, ...targets])], missing, why }];
  });
}
