import type { FactReader, FactReading } from '../../mover/redrive-facts/fact-reader';
import type { RedrivePlan } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts, RedriveTrigger } from '../../policy/redrive/redrive-facts';
import { redriveContextOf } from '../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { stopOfPass } from '../../policy/redrive/stop-rules';
import type { StopReason } from './step-runner';

export interface RedriveEvent {
  readonly trigger: RedriveTrigger;
  /** When the invocation was due: EventBridge's `time`. @default - unknown */
  readonly dueAtMs?: number;
}

const TRIGGERS: readonly RedriveTrigger[] = ['schedule', 'recovery', 'operator', 'tick'];

/** The format of EventBridge and its Scheduler: always UTC. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** @param event `{"trigger": "tick", "time": "2026-01-05T09:00:00Z"}`; only a tick needs `time` */
export function readRedriveEvent(event: unknown): RedriveEvent {
  const { trigger, time } = Object(event) as Readonly<Record<string, unknown>>;
  const known = TRIGGERS.find(it => it === trigger);
  const isInstant = typeof time === 'string' && INSTANT.test(time);
  const wrong = [
    ...(known ? [] : [`trigger must be one of ${TRIGGERS.join(', ')}: got ${JSON.stringify(trigger)}`]),
    ...(isInstant || time === undefined ? [] : [`time must be a UTC timestamp: got ${JSON.stringify(time)}`]),
  ];
  if (!known || wrong.length > 0) throw new Error(`The event of a redrive is invalid: ${wrong.join('; ')}`);
  return { trigger: known, ...(isInstant && { dueAtMs: new Date(time).getTime() }) };
}

/**
 * How long a read may fail before that stops messages from moving. Lambda retries a failed invocation after one minute, and again
 * two minutes later: the last retry is past this limit.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const TOLERATE_UNREAD_MS = 150_000;

/**
 * Plans by the facts that were read. A task is not cancelled because one read failed, since the next one usually succeeds. It is
 * cancelled for a fact that was read, or when reads have failed for `TOLERATE_UNREAD_MS`.
 */
export function planToleratingUnread(
  planOf: (facts: RedriveFacts) => RedrivePlan,
  { facts, unread, ifUnreadWereHealthy }: FactReading,
  { trigger, dueAtMs = facts.nowMs }: RedriveEvent,
): RedrivePlan {
  const plan = planOf(facts);
  const isLate = trigger === 'tick' && facts.nowMs - dueAtMs >= TOLERATE_UNREAD_MS;
  if (plan.decision.kind !== 'cancel' || unread.length === 0 || isLate) return plan;
  const ifHealthy = planOf(ifUnreadWereHealthy);
  if (ifHealthy.decision.kind === 'cancel') return ifHealthy;
  return {
    ...plan,
    decision: {
      kind: 'wait',
      reason: `some facts could not be read, and may be readable soon: ${plan.decision.reason}`,
    },
  };
}

/** Checks whether a pass may continue. `facts` are those the pass was started by, in a run that started at `runStartedAtMs`. */
export type CheckPass = (
  facts: RedriveFacts,
  movePass: MoveFacts,
  runStartedAtMs: number,
) => Promise<StopReason | undefined>;

/** Since when checks of a pass could not read all facts. */
interface Unread {
  readonly movePassAtMs: number;
  readonly sinceMs: number;
}

/**
 * Returns the check of a running pass: it reads the facts again and applies `stopOfPass`. Unread facts stop the pass only after
 * `TOLERATE_UNREAD_MS`.
 */
export function passChecker(factReader: Pick<FactReader, 'readAgain'>, settings: RedriveSettings): CheckPass {
  let unread: Unread | undefined;
  const factsToUse = (reading: FactReading, movePassAtMs: number): RedriveFacts => {
    const { facts, ifUnreadWereHealthy } = reading;
    const { nowMs } = facts;
    const before = unread?.movePassAtMs === movePassAtMs ? unread : { movePassAtMs, sinceMs: nowMs };
    unread = reading.unread.length > 0 ? before : undefined;
    return unread && nowMs - unread.sinceMs < TOLERATE_UNREAD_MS ? ifUnreadWereHealthy : facts;
  };
  return async (facts, movePass, runStartedAtMs) => {
    const reading = await factReader.readAgain(facts, movePass);
    const context = redriveContextOf(settings, factsToUse(reading, movePass.startedAtMs));
    return stopOfPass(context, runStartedAtMs);
  };
}
