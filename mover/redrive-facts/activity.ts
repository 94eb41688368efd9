import { METRIC_POINTS_LATE_MS, MOVE_TASK_LIMITS } from '../../policy/aws-limits';
import { endedAtMs, totalOf } from '../../policy/redrive/budget';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import { isActive, withActivity } from '../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { DAY_MS, MINUTE_MS } from '../../policy/time-units';
import { minuteOf, type ReadMetrics } from '../aws/metrics';
import { ownMetric } from './own-metrics';

/** What every tick reads first. */
export interface FirstFacts {
  readonly nowMs: number;
  readonly deadLetters: QueueDepth | undefined;
  /** The newest first. */
  readonly tasks: readonly MoveFacts[];
}

const MAX_TASK_MS = MOVE_TASK_LIMITS.durationSeconds * 1_000;

/**
 * CloudWatch keeps data points of a minute for 15 days. One day less, to be safe.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
 */
const KEPT_MS = 14 * DAY_MS;

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time in which tasks of the last run can have been under way. Undefined if CloudWatch no longer has it, or without tasks. */
export function activeWithin([newest]: readonly MoveFacts[], nowMs: number): Period | undefined {
  if (!newest || nowMs - newest.startedAtMs > KEPT_MS) return undefined;
  const fromMs = minuteOf(newest.startedAtMs - DAY_MS);
  return { fromMs, toMs: Math.min(minuteOf(nowMs) + MINUTE_MS, minuteOf(newest.startedAtMs) + MAX_TASK_MS) };
}

/** The time in which a task that has ended recently was under way. Undefined if there can be no such task. */
export function recentlyActiveWithin(
  [newest]: readonly MoveFacts[],
  nowMs: number,
  settings: QuietSettings,
): Period | undefined {
  const fromMs = minuteOf(nowMs - unsettledMs(settings));
  if (!newest || newest.startedAtMs < fromMs - MAX_TASK_MS) return undefined;
  return { fromMs, toMs: minuteOf(nowMs) + MINUTE_MS };
}

export async function minutesSeenMoving(
  read: ReadMetrics,
  functionName: string,
  { fromMs, toMs }: Period,
): Promise<readonly number[]> {
  const [states = []] = await read([ownMetric(functionName, 'RedriveState', 'Maximum')], fromMs, toMs);
  return states.filter(({ value }) => value === REDRIVE_STATES.moving).map(({ atMs }) => atMs);
}

/**
 * Returns the moves with the time until which they were under way.
 * @param seen undefined if the metrics could not be read: a task that may have ended recently then counts as ended now
 */
export function activeMoves(
  moves: readonly MoveFacts[],
  seen: readonly number[] | undefined,
  nowMs: number,
  settings: QuietSettings,
): readonly MoveFacts[] {
  if (seen) return withActivity(moves, seen);
  const [newest, ...older] = moves;
  if (newest?.carrier !== 'task' || isActive(newest) || isSettled(newest, nowMs, settings)) return moves;
  return [{ ...newest, activeAtMs: Math.max(endedAtMs(newest), nowMs) }, ...older];
}

/** A run that no tick has checked for 10 minutes counts as over. Twice that in ticks of a minute, to be sure. */
const TICKS = 20;

/** A run waits `settle` for messages that return, and up to twice as long again for proof of health. */
const SETTLES = 3;

/** The settings that determine how long a run's outcome stays open. */
export type QuietSettings = Pick<RedriveSettings, 'settleMs' | 'tickMs' | 'functionTimeoutMs'>;

/** Time after the end of a move after which its run has no open outcome any more. */
function unsettledMs({ settleMs, tickMs }: QuietSettings): number {
  return SETTLES * settleMs + TICKS * tickMs;
}

/** Whether the run of a move has no open outcome. The end of the move is computed from its rate. */
function isSettled(move: MoveFacts, nowMs: number, settings: QuietSettings): boolean {
  const isOver = move.status !== 'RUNNING' && move.status !== 'CANCELLING';
  return isOver && nowMs > endedAtMs(move) + unsettledMs(settings);
}

/** Whether the queue is empty, no task runs, and no outcome is open. A tick then has nothing to do. */
export function isIdleQueue({ deadLetters, tasks, nowMs }: FirstFacts, settings: QuietSettings): boolean {
  if (!deadLetters || totalOf(deadLetters) > 0) return false;
  return tasks.every(task => isSettled(task, nowMs, settings));
}

/** A copying or replaying pass that started before this time has no open outcome any more. */
export function passesMatterFromMs(nowMs: number, settings: QuietSettings): number {
  return nowMs - unsettledMs(settings) - settings.functionTimeoutMs - METRIC_POINTS_LATE_MS;
}
