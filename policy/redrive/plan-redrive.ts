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

/** The tick an end falls into may come late, and another is to spare: until then it is told of. */
const REPORTED_TICKS = 2;

/** For how many ticks a stop shows at least. Our choice: its alarm rings by a single minute, and looks may be lost. */
const STOPPED_TICKS = 10;

function leave(cause: RedriveCause, reason: string): RedriveDecision {
  return { kind: 'leave', cause, reason };
}

function messagesIn({ deadLetters }: RedriveFacts): number {
  return deadLetters ? totalOf(deadLetters) : 0;
}

/** Of all steps together where all that fails comes back among the dead letters; elsewhere it is known of the newest alone. */
function returnedOfRun(view: RedriveContext, run: Run): number | undefined {
  const { settings, facts } = view;
  const newest = newestStep(run);
  if (isActive(newestMove(newest)) || facts.nowMs < settledAtMs(newest, settings)) return undefined;
  if (settings.failures?.arn !== settings.deadLetters.arn) return returnedOf(view, newest);
  const later = run.steps.flatMap(({ moves }) => moves).slice(1);
  return returnedOf(view, { index: 0, moves: [run.steps[0].moves[0], ...later] });
}

function tell(view: RedriveContext, run: Run, ending?: RunEnding): RedriveRun {
  const returned = returnedOfRun(view, run);
  return {
    startedAtMs: run.steps[0].moves[0].startedAtMs,
    moved: run.steps.reduce((sum, step) => sum + movedIn(step), 0),
    ...(returned !== undefined && { returned }),
    ...(ending && { ending }),
  };
}

/** Whether the run has ended just now, or is about to. */
function isNews({ facts, settings }: RedriveContext, { cause, overAtMs }: RunEnding): boolean {
  return facts.nowMs < overAtMs + (cause ? STOPPED_TICKS : REPORTED_TICKS) * settings.tickMs;
}

/**
 * How a redrive stands of which no run goes on. What was stopped stays so while there are letters for a human to see to; and where
 * none is left, because all had moved before, until the alarm has rung for certain.
 */
function stateAfter(view: RedriveContext, ending: RunEnding | undefined): RedriveState {
  return ending?.cause && (messagesIn(view.facts) > 0 || isNews(view, ending)) ? 'stopped' : 'idle';
}

/** Where nobody asks for a run: how the last one ended, or that there is nothing to do. */
function withoutStarter(view: RedriveContext, ending: RunEnding | undefined): RedriveDecision {
  const { facts, history } = view;
  const messages = messagesIn(facts);
  const isKnown = ending !== undefined && isNews(view, ending);
  if (ending?.cause && (isKnown || messages > 0)) return { kind: 'stop', cause: ending.cause, reason: ending.reason };
  if (isKnown) return { kind: 'finish', reason: ending.reason };
  if (history.foreign) return leave('foreign-task', 'somebody else moves the letters');
  if (messages === 0) return leave('no-letters', 'there is no dead letter');
  return leave('nothing-to-do', 'nobody asks for a run');
}

/** By when a tick has told of the end: a run that began before would be all that later ticks see. */
function reportedByMs({ settings }: RedriveContext, { overAtMs }: RunEnding): number {
  return overAtMs + REPORTED_TICKS * settings.tickMs;
}

/**
 * Until the end of a run is told of, no other begins. A recovery asks again at the next look; whoever asks only once hears that it was
 * for nothing, and when the next can begin.
 */
function beforeItIsReported(view: RedriveContext, ending: RunEnding, starter: Starter | undefined): RedriveDecision {
  if (starter === undefined || starter === 'recovery') return withoutStarter(view, ending);
  const reportedBy = new Date(reportedByMs(view, ending)).toISOString();
  return leave(
    'resting',
    `no other run begins before ${reportedBy}, by when the end of the last is told: ${ending.reason}`,
  );
}

/** Begins a run where somebody asks for one and every gate is open. */
function withoutRun(view: RedriveContext, ending: RunEnding | undefined): Pick<RedrivePlan, 'decision' | 'state'> {
  const state = stateAfter(view, ending);
  const starter = starterOf(view);
  if (ending && view.facts.nowMs < reportedByMs(view, ending)) {
    return { decision: beforeItIsReported(view, ending, starter), state };
  }
  if (!starter) return { decision: withoutStarter(view, ending), state };
  const canary = canaryOf(view);
  const shut = firstFailedPrecondition('start', { ...view, ...(ending && { ending }) }, canary);
  const decision = shut ? undefined : startOf(view, canary, STARTS[starter]);
  if (decision) return { decision, state: 'moving' };
  return { decision: leave(shut?.cause ?? 'messages-spent', shut?.reason ?? 'the budget has no room'), state };
}

const STARTS = {
  schedule: 'the schedule asks for a run',
  operator: 'an operator asks for a run',
  recovery: 'an alarm has recovered',
} as const;

/**
 * What a redrive does now, by nothing but what AWS says: it may be asked at any time, as often as one likes and by several at
 * once. At most one step begins or is cancelled by a look. A step that was decided and never begun is decided again.
 */
export function planRedrive(settings: RedriveSettings, facts: RedriveFacts): RedrivePlan {
  const view = redriveContextOf(settings, facts);
  const { current } = view.history;
  if (!current) return withoutRun(view, undefined);
  if (isActive(newestMove(newestStep(current)))) {
    return { decision: watchRunningMove(view, current), state: 'moving', run: tell(view, current) };
  }
  const judgement = judgeRun(view, current);
  if (judgement.kind === 'over') {
    return { ...withoutRun(view, judgement.ending), run: tell(view, current, judgement.ending) };
  }
  return { decision: judgement.decision, state: judgement.state, run: tell(view, current) };
}

/**
 * When the newest step of ours has settled, as far as its moves tell: for whoever gathers what the queues held then.
 * @returns undefined where the newest move is not ours, or not over
 */
export function settledAtMsOf(settings: RedriveSettings, moves: readonly MoveFacts[]): number | undefined {
  const { current } = historyOf(moves, settings);
  const step = current && newestStep(current);
  return step && !isActive(newestMove(step)) ? settledAtMs(step, settings) : undefined;
}

/**
 * From when on what is sent to the destination comes after the newest step's letters, as far as its moves tell: for whoever
 * counts that.
 * @returns undefined where the newest move is not ours, or not over, and once the outcome of its run is told
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
