import type { HandPlan } from '../../../lib/policy/redrive-by-hand/hand-plan';
import { COUNTS_LATE_MS } from '../../../lib/policy/redrive-by-hand/settling';
import { type Depths, type Verdict, verdictOf } from '../../../lib/policy/redrive-by-hand/verdict';
import type { DepthReader } from './depths';
import type { StagePorts } from './stage';

/** Our choice. */
const LOOK_EVERY_MS = 2_000;

/** Waits until it is known what became of letters that were moved. Undefined where somebody interrupted it before. */
export async function judged(
  plan: HandPlan,
  read: DepthReader['all'],
  before: Depths,
  moved: number,
  { nowMs, wait, isInterrupted }: Omit<StagePorts, 'progress'>,
): Promise<Verdict | undefined> {
  const sinceMs = nowMs();
  while (!isInterrupted()) {
    await wait(LOOK_EVERY_MS);
    const elapsedMs = nowMs() - sinceMs;
    if (elapsedMs < COUNTS_LATE_MS) continue;
    const verdict = verdictOf(plan, { before, now: await read(), moved, elapsedMs });
    if (verdict) return verdict;
  }
  return undefined;
}
