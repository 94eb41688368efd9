import { totalOf } from './budget';
import { canaryOf, startOf } from './planned-step';
import { firstFailedPrecondition } from './preconditions';
import type {
  RedriveCause,
  RedriveDecision,
  RedrivePlan,
  RedriveRun,
  RedriveState,
  RunEnding,
} from './redrive-decision';
import type { MoveFacts, RedriveFacts } from './redrive-facts';
import {
  historyOf,
  isActive,
  movedIn,
  newestMove,
  newestStep,
  outcomeAtMs,
  type RedriveContext,
  type Run,
  redriveContextOf,
  type Starter,
  settledAtMs,
  starterOf,
} from './redrive-runs';
import type { RedriveSettings } from './redrive-settings';
import { returnedOf } from './returned-messages';
import { judgeRun, watchRunningMove } from './stop-rules';

/** How many ticks an ending is reported. Two, because the tick in which the run ends may be late. */
const REPORTED_TICKS = 2;

/** How many ticks a stop is shown at least. Its alarm needs one minute of data; ten ticks allow for lost ticks. */
const STOPPED_TICKS = 10;

function leave(cause: RedriveCause, reason: string): RedriveDecision {
  return { kind: 'leave', cause, reason };
}

function messagesIn({ deadLetters }: RedriveFacts): number {
  return deadLetters ? totalOf(deadLetters) : 0;
}

/**
 * For all steps together, if failed messages come back to the dead-letter queue. Otherwise it is known only for the
 * newest step.
 */
function returnedOfRun(context: RedriveContext, run: Run): number | undefined {
  const { settings, facts } = context;
  const newest = newestStep(run);
  if (isActive(newestMove(newest)) || facts.nowMs < settledAtMs(newest, settings)) return undefined;
  if (settings.failures?.arn !== settings.deadLetters.arn) return returnedOf(context, newest);
  const later = run.steps.flatMap(({ moves }) => moves).slice(1);
  return returnedOf(context, { index: 0, moves: [run.steps[0].moves[0], ...later] });
}

function runReport(context: RedriveContext, run: Run, ending?: RunEnding): RedriveRun {
  const returned = returnedOfRun(context, run);
  return {
    startedAtMs: run.steps[0].moves[0].startedAtMs,
    moved: run.steps.reduce((sum, step) => sum + movedIn(step), 0),
    ...(returned !== undefined && { returned }),
    ...(ending && { ending }),
  };
}

/** Whether the end of the run is recent or still ahead, and so must be reported. */
function mustBeReported({ facts, settings }: RedriveContext, { cause, overAtMs }: RunEnding): boolean {
  return facts.nowMs < overAtMs + (cause ? STOPPED_TICKS : REPORTED_TICKS) * settings.tickMs;
}

/**
 * The state when no run continues. A stopped redrive stays `stopped` while there are messages that a person must look
 * at. If none are left, because all had moved before, it stays so until the alarm has certainly fired.
 */
function stateAfter(context: RedriveContext, ending: RunEnding | undefined): RedriveState {
  return ending?.cause && (messagesIn(context.facts) > 0 || mustBeReported(context, ending)) ? 'stopped' : 'idle';
}

/** When nothing asks for a run: reports how the last run ended, or that there is nothing to do. */
function withoutStarter(context: RedriveContext, ending: RunEnding | undefined): RedriveDecision {
  const { facts, history } = context;
  const messages = messagesIn(facts);
  const isKnown = ending !== undefined && mustBeReported(context, ending);
  if (ending?.cause && (isKnown || messages > 0)) return { kind: 'stop', cause: ending.cause, reason: ending.reason };
  if (isKnown) return { kind: 'finish', reason: ending.reason };
  if (history.foreign) return leave('foreign-task', 'another process moves the messages');
  if (messages === 0) return leave('no-dead-letters', 'the dead-letter queue is empty');
  return leave('nothing-to-do', 'nothing asks for a run');
}

/**
 * When a tick has certainly reported the end of the run. If another run began earlier, later ticks would only see that
 * one.
 */
function reportedByMs({ settings }: RedriveContext, { overAtMs }: RunEnding): number {
  return overAtMs + REPORTED_TICKS * settings.tickMs;
}

/**
 * No other run begins before the end of the last one is reported. A recovery asks again at the next tick. A schedule or
 * an operator asks only once, and learns when the next run can begin.
 */
function beforeItIsReported(context: RedriveContext, ending: RunEnding, starter: Starter | undefined): RedriveDecision {
  if (starter === undefined || starter === 'recovery') return withoutStarter(context, ending);
  const reportedBy = new Date(reportedByMs(context, ending)).toISOString();
  return leave(
    'resting',
    `no other run begins before ${reportedBy}, when the end of the last run has been reported: ${ending.reason}`,
  );
}

/** Begins a run if something asks for one and every precondition holds. */
function startIfAsked(context: RedriveContext, ending: RunEnding | undefined): Pick<RedrivePlan, 'decision' | 'state'> {
  const state = stateAfter(context, ending);
  const starter = starterOf(context);
  if (ending && context.facts.nowMs < reportedByMs(context, ending)) {
    return { decision: beforeItIsReported(context, ending, starter), state };
  }
  if (!starter) return { decision: withoutStarter(context, ending), state };
  const canary = canaryOf(context);
  const failed = firstFailedPrecondition('start', { ...context, ...(ending && { ending }) }, canary);
  const decision = failed ? undefined : startOf(context, canary, STARTS[starter]);
  if (decision) return { decision, state: 'moving' };
  return { decision: leave(failed?.cause ?? 'messages-spent', failed?.reason ?? 'the budget is used up'), state };
}

const STARTS = {
  schedule: 'the schedule asks for a run',
  operator: 'an operator asks for a run',
  recovery: 'an alarm has recovered',
} as const;

/**
 * Decides what a redrive does now, only from what AWS reports. It can be called at any time, any number of times, and
 * by several callers at once. Each call starts or cancels at most one step. A step that was decided but not started is
 * decided again.
 */
export function planRedrive(settings: RedriveSettings, facts: RedriveFacts): RedrivePlan {
  const context = redriveContextOf(settings, facts);
  const { current } = context.history;
  if (!current) return startIfAsked(context, undefined);
  if (isActive(newestMove(newestStep(current)))) {
    return { decision: watchRunningMove(context, current), state: 'moving', run: runReport(context, current) };
  }
  const judgement = judgeRun(context, current);
  if (judgement.kind === 'over') {
    return { ...startIfAsked(context, judgement.ending), run: runReport(context, current, judgement.ending) };
  }
  return { decision: judgement.decision, state: judgement.state, run: runReport(context, current) };
}

/**
 * When the newest step of a run has settled, according to its moves. The caller reads the queue depths of that time.
 * @returns undefined if the newest move does not belong to a run, or has not ended
 */
export function settledAtMsOf(settings: RedriveSettings, moves: readonly MoveFacts[]): number | undefined {
  const { current } = historyOf(moves, settings);
  const step = current && newestStep(current);
  return step && !isActive(newestMove(step)) ? settledAtMs(step, settings) : undefined;
}

/**
 * From this time on, messages sent to the destination arrive after those of the newest step, according to its moves.
 * The caller counts them.
 * @returns undefined if the newest move does not belong to a run or has not ended, and once the end of its run has been
 * reported
 */
export function sentSinceMsOf(
  settings: RedriveSettings,
  moves: readonly MoveFacts[],
  nowMs: number,
): number | undefined {
  const { current } = historyOf(moves, settings);
  const step = current && newestStep(current);
  if (!step || isActive(newestMove(step))) return undefined;
  const reportedByMs = outcomeAtMs(step, settings) + REPORTED_TICKS * settings.tickMs;
  return nowMs < reportedByMs ? settledAtMs(step, settings) - settings.settleMs : undefined;
}
