import { formatDuration } from '../wording';
import { newestMove, newestStep } from './runs';
import type { RedriveContext } from './view';

/** How many letters of a step that moves may wait in the destination, and for how long, without anything being wrong. */
interface OwnMessages {
  readonly messages: number;
  readonly waitedMs: number;
}

/**
 * What may wait of the step's own letters beside all else: as many as it moves in the time in which one that fails has come
 * back. Whoever works off a letter by then keeps up, and who does not is run over by the step: it stops for that.
 */
function ownMessages({
  history: { current },
  settings: { settleMs, tickMs },
  facts: { nowMs },
}: RedriveContext): OwnMessages {
  if (!current) return { messages: 0, waitedMs: 0 };
  const step = newestStep(current);
  const { messagesPerSecond = 1 } = newestMove(step);
  const waitedMs = Math.min(nowMs - step.moves[0].startedAtMs, settleMs + 2 * tickMs);
  return { messages: Math.floor((messagesPerSecond * waitedMs) / 1_000) + 1, waitedMs };
}

function backlogOver(
  { settings: { maxBacklog }, facts: { destination } }: RedriveContext,
  own: number,
): string | undefined {
  if (maxBacklog === undefined || !destination) return undefined;
  const waiting = destination.depth.visible + destination.depth.delayed;
  if (waiting <= maxBacklog + own) return undefined;
  const ofOurs = own > 0 ? `, beside ${own} of the step’s own` : '';
  return `${waiting} messages wait in the destination, and ${maxBacklog} may${ofOurs}`;
}

function ageOver(
  { settings: { maxAgeSeconds }, facts: { destination } }: RedriveContext,
  ownMs: number,
): string | undefined {
  const age = destination?.oldestAgeSeconds;
  if (maxAgeSeconds === undefined || age === undefined) return undefined;
  const most = Math.max(maxAgeSeconds, Math.floor(ownMs / 1_000));
  return age > most
    ? `the oldest message in the destination is ${formatDuration(age)} old, and may be ${formatDuration(most)}`
    : undefined;
}

/** Whether more waits in the destination than may before a step begins. */
export function backlogAbove(view: RedriveContext): string | undefined {
  return backlogOver(view, 0);
}

/** Whether more waits in the destination than may while a step moves letters there. */
export function backlogAboveOwn(view: RedriveContext): string | undefined {
  return backlogOver(view, ownMessages(view).messages);
}

/** Whether the oldest message in the destination is older than may be before a step begins. */
export function ageAbove(view: RedriveContext): string | undefined {
  return ageOver(view, 0);
}

/** Whether it is older than that while a step moves letters there, and cannot be one of them that is worked off in time. */
export function ageAboveOwn(view: RedriveContext): string | undefined {
  return ageOver(view, ownMessages(view).waitedMs);
}
