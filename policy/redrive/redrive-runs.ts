import { DAY_MS, MINUTE_MS } from '../time-units';
import { type Budget, endedAtMs } from './budget';
import type { RunEnding } from './redrive-decision';
import type { HealthAlarmFacts, MoveFacts, RedriveFacts } from './redrive-facts';
import type { RedriveSettings } from './redrive-settings';

/**
 * How many ticks after a step has settled the next step may still begin. After ten ticks without a check, too much may
 * have happened, and only a canary may begin.
 */
const CONTINUE_WITHIN_TICKS = 10;

/**
 * The reason SQS gives for a task that failed because SQS does not know the source queue of a message. Such messages
 * can be copied.
 */
const NO_KNOWN_SOURCE = 'CouldNotDetermineMessageSource';

export interface RunStep {
  readonly index: number;
  /**
   * The oldest first. More than one if a move pass continued another, or if two invocations started the step at once.
   */
  readonly moves: readonly [MoveFacts, ...MoveFacts[]];
  /** After how many messages the next step may begin. @default - this is the last step */
  readonly messages?: number;
}

/** One run, the canary first. */
export interface Run {
  readonly steps: readonly [RunStep, ...RunStep[]];
}

/** The moves, grouped into runs. */
export interface History {
  /** Every run in the facts, the newest first. */
  readonly runs: readonly Run[];
  /**
   * The run of the newest move. No other run can continue. @default - the newest move is not part of a run, or there is
   * none
   */
  readonly current?: Run;
  /** The newest move, if it is active and not part of a run. */
  readonly foreign?: MoveFacts;
}

export function newestStep({ steps }: Run): RunStep {
  return steps.at(-1) ?? steps[0];
}

export function newestMove({ moves }: RunStep): MoveFacts {
  return moves.at(-1) ?? moves[0];
}

export function movedIn({ moves }: RunStep): number {
  return moves.reduce((sum, { moved }) => sum + moved, 0);
}

export function isActive({ status }: MoveFacts): boolean {
  return status === 'RUNNING' || status === 'CANCELLING';
}

/**
 * Whether the function may copy what this task could not move. The settings name the destination, so the source does
 * not matter.
 */
export function canBeCopied({ carrier, status, failureReason }: MoveFacts): boolean {
  return carrier === 'task' && status === 'FAILED' && failureReason === NO_KNOWN_SOURCE;
}

/**
 * Whether the step has moved its messages, so that the next may follow. A task that found no more messages is not such
 * a step: nothing is left to move. A move pass that ended by itself may have done either.
 */
export function isDone(step: RunStep): boolean {
  const newest = newestMove(step);
  if (step.messages === undefined || movedIn(step) < step.messages) return false;
  const hasEnded = newest.status === 'COMPLETED' || newest.status === 'PAUSED';
  return newest.status === 'CANCELLED' || canBeCopied(newest) || (newest.carrier !== 'task' && hasEnded);
}

/**
 * When messages of the step have had time to come back. SQS does not report when a task ended, so two ticks are added.
 */
export function settledAtMs({ moves }: RunStep, { tickMs, settleMs }: RedriveSettings): number {
  return Math.max(...moves.map(endedAtMs)) + 2 * tickMs + settleMs;
}

/** Half the time after which a run that no tick has looked at counts as abandoned. */
const QUIET_TICKS = CONTINUE_WITHIN_TICKS / 2;

/**
 * How long an execution environment may ask only for the depth of the dead-letter queue, after it has found no message, no task
 * and no open outcome. Another environment, or an operator, may have begun a run since then, and the queue be empty again: that run
 * ends later than this, because messages have `settle` to come back.
 */
export function quietForMs({ tickMs, settleMs }: Pick<RedriveSettings, 'tickMs' | 'settleMs'>): number {
  return Math.min(QUIET_TICKS * tickMs, settleMs);
}

/** How long a settled step waits for preconditions that fail. */
export function continueWithinMs({ tickMs, settleMs }: RedriveSettings): number {
  return Math.max(CONTINUE_WITHIN_TICKS * tickMs, 2 * settleMs);
}

/** Whether the step was interrupted because the time ran out. It continues at once. */
export function isPaused(step: RunStep): boolean {
  return newestMove(step).status === 'PAUSED' && !isDone(step);
}

/**
 * Until when the run may continue after this step, and so when its result is final. If nothing can follow, that is when
 * the step has settled.
 */
export function outcomeAtMs(step: RunStep, settings: RedriveSettings): number {
  if (isDone(step)) return settledAtMs(step, settings) + continueWithinMs(settings);
  if (!isPaused(step)) return settledAtMs(step, settings);
  return newestMove(step).startedAtMs + settings.functionTimeoutMs + 2 * settings.tickMs + continueWithinMs(settings);
}

function isOfOurKind({ carrier, destinationArn, messagesPerSecond }: MoveFacts, settings: RedriveSettings): boolean {
  const isRateOfOurs = settings.steps.some(step => step.messagesPerSecond === messagesPerSecond);
  return isRateOfOurs && (carrier !== 'task' || destinationArn === settings.destination.arn);
}

/** Whether the move belongs to the same step: it began twice at once, or continues after a pause or by copying. */
function isSameStep(step: RunStep, move: MoveFacts, settings: RedriveSettings): boolean {
  const last = newestMove(step);
  if (last.messagesPerSecond !== move.messagesPerSecond) return false;
  if (move.startedAtMs < settledAtMs(step, settings)) return true;
  return isPaused(step);
}

/**
 * The step of a move that follows `step`. If the move has the rate of a slower step, it is the last step, because the
 * budget allows no more.
 */
function nextStep(step: RunStep, move: MoveFacts, settings: RedriveSettings): RunStep | undefined {
  const index = step.index + 1;
  const next = settings.steps[index];
  if (!next || !isDone(step)) return undefined;
  if (move.messagesPerSecond === next.messagesPerSecond) {
    return { index, moves: [move], ...(next.messages !== undefined && { messages: next.messages }) };
  }
  const isSlower = settings.steps.slice(1, index).some(it => it.messagesPerSecond === move.messagesPerSecond);
  return isSlower ? { index, moves: [move] } : undefined;
}

/**
 * The run with this move, if the move belongs to it. A call takes a moment, so the decision may be one tick older than
 * the move.
 */
function continued(run: Run, move: MoveFacts, settings: RedriveSettings): Run | undefined {
  const step = newestStep(run);
  if (move.startedAtMs > outcomeAtMs(step, settings) + settings.tickMs) return undefined;
  if (isSameStep(step, move, settings)) {
    const grown: RunStep = { ...step, moves: [...step.moves, move] };
    const [, ...later] = run.steps;
    return later.length === 0 ? { steps: [grown] } : { steps: [run.steps[0], ...later.slice(0, -1), grown] };
  }
  const next = nextStep(step, move, settings);
  return next && { steps: [...run.steps, next] };
}

/** A run always begins with its canary. */
function begun(move: MoveFacts, settings: RedriveSettings): Run | undefined {
  const [canary] = settings.steps;
  if (!canary || move.messagesPerSecond !== canary.messagesPerSecond) return undefined;
  return { steps: [{ index: 0, moves: [move], ...(canary.messages !== undefined && { messages: canary.messages }) }] };
}

/**
 * Groups the moves into runs. A move belongs to a run if it has the run's destination, the rate of a step, and a start
 * time that fits the step. A task that an operator starts with exactly these values counts as part of a run; all others
 * are left alone.
 */
export function historyOf(moves: readonly MoveFacts[], settings: RedriveSettings): History {
  const runs: Run[] = [];
  let current: Run | undefined;
  for (const move of moves.toReversed()) {
    const isOurs = isOfOurKind(move, settings);
    const grown = isOurs && current ? continued(current, move, settings) : undefined;
    if (grown) runs.shift();
    current = grown ?? (isOurs ? begun(move, settings) : undefined);
    if (current) runs.unshift(current);
  }
  const [newest] = moves;
  return {
    runs,
    ...(current && { current }),
    ...(newest && !current && isActive(newest) && { foreign: newest }),
  };
}

/** What asks for a run. */
export type Starter = 'schedule' | 'operator' | 'recovery';

/** The facts, prepared for the rules. */
export interface RedriveContext {
  readonly settings: RedriveSettings;
  readonly facts: RedriveFacts;
  readonly history: History;
  readonly alarms: readonly HealthAlarmFacts[];
  readonly budget: Budget;
  /** How the last run ended. @default - there is none, or it continues */
  readonly ending?: RunEnding;
}

function alarmsOf({ recoveryAlarms, healthAlarms }: RedriveSettings, { alarms }: RedriveFacts): HealthAlarmFacts[] {
  const names = [...new Set([...recoveryAlarms, ...healthAlarms])];
  return names.map(name => alarms.find(alarm => alarm.name === name) ?? { name, state: 'missing' });
}

export function redriveContextOf(settings: RedriveSettings, facts: RedriveFacts): RedriveContext {
  const { nowMs, moves } = facts;
  const { messagesPerDay, tickMs } = settings;
  return {
    settings,
    facts,
    history: historyOf(moves, settings),
    alarms: alarmsOf(settings, facts),
    budget: { messagesPerDay, tickMs, nowMs, moves },
  };
}

/** How long a recovery can start a run: as long as all moves that began since then are known. */
const RECOVERY_COUNTS_MS = DAY_MS;

/** The alarms that recovered recently, and since when they are OK. */
export function recoveriesOf({
  settings,
  facts,
  alarms,
}: RedriveContext): readonly (HealthAlarmFacts & { sinceMs: number })[] {
  return alarms.flatMap(alarm => {
    const { name, state, sinceMs, recovered } = alarm;
    const isRecovery = settings.recoveryAlarms.includes(name) && state === 'OK' && recovered === true;
    if (!isRecovery || sinceMs === undefined || facts.nowMs - sinceMs >= RECOVERY_COUNTS_MS) return [];
    return [{ ...alarm, sinceMs }];
  });
}

/**
 * What asks for a run. A recovery asks until a move begins after it, for at most a day. When the recovery event
 * arrives, the alarm has only just become OK, so usually a later tick starts the run.
 */
export function starterOf(context: RedriveContext): Starter | undefined {
  const { trigger, moves } = context.facts;
  if (trigger === 'schedule' || trigger === 'operator') return trigger;
  const isDue = recoveriesOf(context).some(({ sinceMs }) => moves.every(({ startedAtMs }) => startedAtMs < sinceMs));
  return isDue ? 'recovery' : undefined;
}

/**
 * Adds to each task when it was last seen active, between its start and the start of the next move.
 * @param moves the newest first
 * @param seenAtMs the minutes in which this function saw a task of its own active
 */
export function withActivity(moves: readonly MoveFacts[], seenAtMs: readonly number[]): readonly MoveFacts[] {
  return moves.map((move, index) => {
    if (move.carrier !== 'task') return move;
    const fromMs = move.startedAtMs - MINUTE_MS;
    // The minute before the next move may belong to that move: SQS and the function have different clocks.
    const toMs = (moves[index - 1]?.startedAtMs ?? Number.POSITIVE_INFINITY) - 2 * MINUTE_MS;
    const seen = seenAtMs.filter(atMs => atMs > fromMs && atMs <= toMs);
    // A metric has one value per minute, so the end of the minute is assumed.
    return seen.length === 0 ? move : { ...move, activeAtMs: Math.max(...seen) + MINUTE_MS };
  });
}
