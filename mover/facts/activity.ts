import { DAY_MS, endedAtMs, totalOf } from '../../policy/redrive/budget';
import { REDRIVE_STATES } from '../../policy/redrive/redrive-decision';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { isActive, withActivity } from '../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import type { FirstFacts } from './fact-reader';
import { METRICS_LATE_MS, MINUTE_MS, minuteOf, ownMetric, type ReadMetrics } from './metrics';

/**
 * SQS lets no task run for longer.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
const TASK_LASTS_MS = 129_600_000;

/**
 * CloudWatch keeps figures of a minute for 15 days.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
 */
const KEPT_MS = 14 * DAY_MS;

/** A stretch of time. */
interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When the last run's tasks can have been under way; undefined where nobody can tell any more, and without tasks. */
export function activeWithin([newest]: readonly MoveFacts[], nowMs: number): Period | undefined {
  if (!newest || nowMs - newest.startedAtMs > KEPT_MS) return undefined;
  const fromMs = minuteOf(newest.startedAtMs - DAY_MS);
  return { fromMs, toMs: Math.min(minuteOf(nowMs) + MINUTE_MS, minuteOf(newest.startedAtMs) + TASK_LASTS_MS) };
}

/** When a task that ended of late would have been under way; undefined where none can have been. */
export function recentlyActiveWithin(
  [newest]: readonly MoveFacts[],
  nowMs: number,
  of: QuietSettings,
): Period | undefined {
  const fromMs = minuteOf(nowMs - unsettledMs(of));
  if (!newest || newest.startedAtMs < fromMs - TASK_LASTS_MS) return undefined;
  return { fromMs, toMs: minuteOf(nowMs) + MINUTE_MS };
}

/** In which minutes the function said that a task of its own was under way. */
export async function minutesSeenMoving(
  read: ReadMetrics,
  functionName: string,
  { fromMs, toMs }: Period,
): Promise<readonly number[]> {
  const [states = []] = await read([ownMetric(functionName, 'RedriveState', 'Maximum')], fromMs, toMs);
  return states.filter(({ value }) => value === REDRIVE_STATES.moving).map(({ atMs }) => atMs);
}

/**
 * The moves, with how long they were under way.
 * @param seen undefined where it could not be read: what may have ended of late is taken for having ended just now
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

/** So many ticks after a run that nobody looked after is over: ours, and twice that to be sure. */
const TICKS = 20;

/** A run waits for what comes back, and for proof of health up to twice as long again. */
const SETTLES = 3;

/** What tells how long a run's outcome is awaited. */
export type QuietSettings = Pick<RedriveSettings, 'settleMs' | 'tickMs' | 'functionTimeoutMs'>;

/** How long after a move has ended nothing more is to be said of its run. */
export function unsettledMs({ settleMs, tickMs }: QuietSettings): number {
  return SETTLES * settleMs + TICKS * tickMs;
}

/** Whether nothing more is to be said of the move's run, as far as its rate tells when it ended. */
export function isSettled(move: MoveFacts, nowMs: number, settings: QuietSettings): boolean {
  const isOver = move.status !== 'RUNNING' && move.status !== 'CANCELLING';
  return isOver && nowMs > endedAtMs(move) + unsettledMs(settings);
}

/** Whether a first look shows no letter, no task that runs, and none whose outcome is awaited: then a tick has nothing to do. */
export function isIdleQueue({ deadLetters, tasks, nowMs }: FirstFacts, settings: QuietSettings): boolean {
  if (!deadLetters || totalOf(deadLetters) > 0) return false;
  return tasks.every(task => isSettled(task, nowMs, settings));
}

/** From when on a stint of copying or replaying would be one whose outcome is awaited. */
export function passesMatterFromMs(nowMs: number, settings: QuietSettings): number {
  return nowMs - unsettledMs(settings) - settings.functionTimeoutMs - METRICS_LATE_MS;
}
