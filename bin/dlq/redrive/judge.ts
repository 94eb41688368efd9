import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/hand-plan';
import { type Depths, type Verdict, verdictOf } from '../../../diagnosis/manual-redrive/verdict';
import type { DepthReader } from './depths';
import type { MoveStepPorts } from './stage';

/** Our choice: as often as an operator wants to know. */
const LOOK_EVERY_MS = 5_000;

/** Waits until it is known what became of letters that were moved. Undefined where somebody interrupted it before. */
export async function judged(
  plan: ManualRedrivePlan,
  read: DepthReader,
  before: Depths,
  moved: number,
  { nowMs, wait, isInterrupted }: Omit<MoveStepPorts, 'progress'>,
): Promise<Verdict | undefined> {
  const sinceMs = nowMs();
  let emptySinceMs: number | undefined;
  for (; !isInterrupted(); await wait(LOOK_EVERY_MS)) {
    const lookedAtMs = nowMs();
    const elapsedMs = lookedAtMs - sinceMs;
    const now = await read.all();
    emptySinceMs = now.destination === 0 ? (emptySinceMs ?? lookedAtMs) : undefined;
    const emptyForMs = lookedAtMs - (emptySinceMs ?? lookedAtMs);
    // Whoever finds it empty needs no figure.
    const deleted = elapsedMs >= plan.watchMs && emptySinceMs === undefined ? await read.deleted() : undefined;
    const look = { nowMs: lookedAtMs, before, now, moved, elapsedMs, emptyForMs };
    const verdict = verdictOf(plan, { ...look, ...(deleted !== undefined && { deleted }) });
    if (verdict) return verdict;
  }
  return undefined;
}
