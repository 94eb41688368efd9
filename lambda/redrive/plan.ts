import type { TolerantReader } from '../../mover/aws-calls';
import type { FactReader, FactReading } from '../../mover/facts/fact-reader';
import type { StopReason } from '../../mover/move-step';
import { firstFailedPrecondition } from '../../policy/redrive/preconditions';
import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts, RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { isActive, redriveContextOf } from '../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { firedSince } from '../../policy/redrive/stop-rules';

/** What a redrive function is invoked with. */
export interface RedriveEvent {
  readonly trigger: RedriveTrigger;
  /** The instant the invocation was due, as EventBridge names it in `time`. @default - nobody says */
  readonly dueAtMs?: number;
}

const TRIGGERS: readonly RedriveTrigger[] = ['schedule', 'recovery', 'operator', 'tick'];

/** As EventBridge and its Scheduler write it: in UTC, so that it is the same instant everywhere. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * @param event `{"trigger": "tick", "time": "2026-01-05T09:00:00Z"}`; only a tick needs its `time`
 * @throws Error that names what makes no sense
 */
export function readRedriveEvent(event: unknown): RedriveEvent {
  const { trigger, time } = Object(event) as Readonly<Record<string, unknown>>;
  const known = TRIGGERS.find(it => it === trigger);
  const isInstant = typeof time === 'string' && INSTANT.test(time);
  const wrong = [
    ...(known ? [] : [`trigger must be one of ${TRIGGERS.join(', ')}, and is ${JSON.stringify(trigger)}`]),
    ...(isInstant || time === undefined ? [] : [`time must be an instant in UTC, and is ${JSON.stringify(time)}`]),
  ];
  if (!known || wrong.length > 0) throw new Error(`the event of a redrive: ${wrong.join('; ')}`);
  return { trigger: known, ...(isInstant && { dueAtMs: new Date(time).getTime() }) };
}

/**
 * Our choice: for how long what cannot be read is not held against letters that move. Lambda repeats an invocation that
 * failed after a minute, and once more two minutes later: that one has no patience any more.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export const TOLERATE_UNREAD_MS = 150_000;

const NO_MESSAGES = { visible: 0, inFlight: 0, delayed: 0 };

/** The facts as they would be if all were well that could not be read. */
export function assumingUnreadIsHealthy(facts: RedriveFacts, reading: TolerantReader): RedriveFacts {
  const { killSwitch, destination, alarms, mappings } = facts;
  const hasNoDepth = destination === undefined && reading.hasFailed('GetQueueAttributes');
  return {
    ...facts,
    killSwitch: reading.hasFailed('GetParameter') ? 'on' : killSwitch,
    destination: hasNoDepth ? { depth: NO_MESSAGES } : destination,
    alarms: alarms.map(alarm => (alarm.state === 'unread' ? { ...alarm, state: 'OK' } : alarm)),
    mappings: mappings.map(mapping => (mapping.state === 'unread' ? { ...mapping, state: 'Enabled' } : mapping)),
  };
}

/**
 * What is done by what was gathered. No task is cancelled for what one look could not read, which most often the next can:
 * only what was read speaks against it, until nothing was for a while.
 */
export function planToleratingUnread(
  planOf: (facts: RedriveFacts) => RedrivePlan,
  { facts, unread, ifUnreadWereHealthy }: FactReading,
  { trigger, dueAtMs = facts.nowMs }: RedriveEvent,
): RedrivePlan {
  const plan = planOf(facts);
  const isLate = trigger === 'tick' && facts.nowMs - dueAtMs >= TOLERATE_UNREAD_MS;
  if (plan.decision.kind !== 'cancel' || unread.length === 0 || isLate) return plan;
  const hoped = planOf(ifUnreadWereHealthy);
  if (hoped.decision.kind === 'cancel') return hoped;
  return {
    ...plan,
    decision: { kind: 'wait', reason: `not all could be read, and may be soon: ${plan.decision.reason}` },
  };
}

/** Looks again whether the stint may go on that was begun by these facts, in the run that began then. */
export type CheckPass = (
  facts: RedriveFacts,
  movePass: MoveFacts,
  runStartedAtMs: number,
) => Promise<StopReason | undefined>;

/** Since when looks at a stint could not read all. */
interface Unread {
  readonly movePassAtMs: number;
  readonly sinceMs: number;
}

/**
 * A stint has to stop for whatever a task of SQS would be cancelled for, and where somebody moves letters beside it. What
 * could not be read is held against it when it could not be for a while.
 */
export function passChecker(sight: Pick<FactReader, 'readAgain'>, settings: RedriveSettings): CheckPass {
  let unread: Unread | undefined;
  const seenBy = (
    { facts, ifUnreadWereHealthy, unread: { length } }: FactReading,
    movePassAtMs: number,
  ): RedriveFacts => {
    const { nowMs } = facts;
    const before = unread?.movePassAtMs === movePassAtMs ? unread : { movePassAtMs, sinceMs: nowMs };
    unread = length > 0 ? before : undefined;
    return unread && nowMs - unread.sinceMs < TOLERATE_UNREAD_MS ? ifUnreadWereHealthy : facts;
  };
  return async (facts, movePass, runStartedAtMs) => {
    const view = redriveContextOf(settings, seenBy(await sight.readAgain(facts, movePass), movePass.startedAtMs));
    const isMovedBeside = view.facts.moves.some(move => move.carrier === 'task' && isActive(move));
    if (isMovedBeside) return { cause: 'foreign-task', reason: 'somebody else moves the letters' };
    return firstFailedPrecondition('watch', view) ?? firedSince(view, runStartedAtMs, view.facts.nowMs);
  };
}
