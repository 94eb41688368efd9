import { type Budget, DAY_MS, endedAtMs } from './budget';
import type { RunEnding } from './redrive-decision';
import type { HealthAlarmFacts, MoveFacts, RedriveFacts } from './redrive-facts';
import type { RedriveSettings } from './redrive-settings';

/**
 * For how many ticks a step that has settled may be followed by the next. Our choice: after that nobody has looked after the
 * run, and so much can have happened meanwhile that only a canary may begin.
 */
const CONTINUE_WITHIN_TICKS = 10;

/** What SQS gives as the reason of a task that failed because nobody knows where a letter came from: it can be copied. */
const NO_KNOWN_SOURCE = 'CouldNotDetermineMessageSource';

/** One step of a run that has begun. */
export interface RunStep {
  /** Its index among the settings' steps. */
  readonly index: number;
  /** The oldest first. More than one where a stint went on with another, or two invocations began it at once. */
  readonly moves: readonly [MoveFacts, ...MoveFacts[]];
  /** After how many messages the next may follow. @default - it is the last */
  readonly messages?: number;
}

/** One run, the canary first. */
export interface Run {
  readonly steps: readonly [RunStep, ...RunStep[]];
}

/** The moves, told apart. */
export interface History {
  /** Every run the facts show, the newest first. */
  readonly runs: readonly Run[];
  /** The run the newest move of all belongs to: no other can go on. @default - the newest is somebody else's, or there is none */
  readonly current?: Run;
  /** The newest move of all, where it is not ours and not over. */
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

/** Whether the function may move itself what this task could not: its destination is named, and so nobody need know more. */
export function canBeCopied({ carrier, status, failureReason }: MoveFacts): boolean {
  return carrier === 'task' && status === 'FAILED' && failureReason === NO_KNOWN_SOURCE;
}

/**
 * Whether the step has moved what it should, and the next may follow. A task that found nothing more is no such step: there
 * is nothing left to move. A stint that ended by itself may have done either.
 */
export function isDone(step: RunStep): boolean {
  const newest = newestMove(step);
  if (step.messages === undefined || movedIn(step) < step.messages) return false;
  const hasEnded = newest.status === 'COMPLETED' || newest.status === 'PAUSED';
  return newest.status === 'CANCELLED' || canBeCopied(newest) || (newest.carrier !== 'task' && hasEnded);
}

/** When what the step moved has had time to come back. SQS does not say when a task ended, so a tick or two are added. */
export function settledAtMs({ moves }: RunStep, { tickMs, settleMs }: RedriveSettings): number {
  return Math.max(...moves.map(endedAtMs)) + 2 * tickMs + settleMs;
}

/** How long a step that has settled waits for what is not well yet. */
export function continueWithinMs({ tickMs, settleMs }: RedriveSettings): number {
  return Math.max(CONTINUE_WITHIN_TICKS * tickMs, 2 * settleMs);
}

/** Whether the step broke off before it was done, for want of time: it is gone on with at once. */
export function isPaused(step: RunStep): boolean {
  return newestMove(step).status === 'PAUSED' && !isDone(step);
}

/**
 * Until when the run may go on after this step, and so when its outcome is known for good. Where nothing can follow, that is
 * when the step has settled.
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

/** Whether this is the same step: begun twice at once, or gone on with after a pause, or by copying. */
function isSameStep(step: RunStep, move: MoveFacts, settings: RedriveSettings): boolean {
  const last = newestMove(step);
  if (last.messagesPerSecond !== move.messagesPerSecond) return false;
  if (move.startedAtMs < settledAtMs(step, settings)) return true;
  return isPaused(step);
}

/** Which step the move is, as the one after `step`: with a slower one's rate it is the last, for the budget has no more. */
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

/** The run with the move, where it belongs to it. A call takes a moment, so the decision may be a tick older than the move. */
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
 * Tells runs from what others moved: a move of ours names our destination, has the rate of a step, and comes where that step
 * can come. What somebody begins by hand just so is taken for ours; any other is left alone.
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

/** Who asks for a run. */
export type Starter = 'schedule' | 'operator' | 'recovery';

/** The facts as the rules look at them. */
export interface RedriveContext {
  readonly settings: RedriveSettings;
  readonly facts: RedriveFacts;
  readonly history: History;
  /** Every alarm the settings name. */
  readonly alarms: readonly HealthAlarmFacts[];
  readonly budget: Budget;
  /** How the last run ended. @default - there is none, or it goes on */
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

/** For how long a recovery can start a run. Our choice: as long as it is known of every move that began since. */
const RECOVERY_COUNTS_MS = DAY_MS;

/** The alarms that have recovered lately, and since when they are OK. */
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
 * Who asks for a run. A recovery does so until a move begins after it, or for a day: at the event itself the alarm has been
 * OK for no time at all, so as a rule it is a tick that begins the run.
 */
export function starterOf(view: RedriveContext): Starter | undefined {
  const { trigger, moves } = view.facts;
  if (trigger === 'schedule' || trigger === 'operator') return trigger;
  const isDue = recoveriesOf(view).some(({ sinceMs }) => moves.every(({ startedAtMs }) => startedAtMs < sinceMs));
  return isDue ? 'recovery' : undefined;
}

const MINUTE_MS = 60_000;

/**
 * The moves, each task with when it was last seen under way: what was seen between its start and that of the next move.
 * @param moves the newest first
 * @param seenAtMs the minutes in which this function saw a task of its own under way
 */
export function withActivity(moves: readonly MoveFacts[], seenAtMs: readonly number[]): readonly MoveFacts[] {
  return moves.map((move, index) => {
    if (move.carrier !== 'task') return move;
    const fromMs = move.startedAtMs - MINUTE_MS;
    // The minute before the next may be its own: SQS's clock and the function's are two.
    const toMs = (moves[index - 1]?.startedAtMs ?? Number.POSITIVE_INFINITY) - 2 * MINUTE_MS;
    const seen = seenAtMs.filter(atMs => atMs > fromMs && atMs <= toMs);
    // A minute's figure does not say when in it.
    return seen.length === 0 ? move : { ...move, activeAtMs: Math.max(...seen) + MINUTE_MS };
  });
}
