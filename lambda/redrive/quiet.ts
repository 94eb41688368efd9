import { endedAtMs, totalOf } from '../../policy/redrive/budget';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import type { FirstFacts } from './facts';
import { METRICS_LATE_MS } from './stints';

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
