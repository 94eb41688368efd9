import { formatDuration } from '../format-text';
import { DAY_MS, isWithinBudget, messagesLeft, totalOf } from './budget';
import { type PlannedStep, rateWithinBudget } from './planned-step';
import type { RedriveCause } from './redrive-decision';
import type { HealthAlarmFacts } from './redrive-facts';
import {
  type History,
  isActive,
  isDone,
  movedIn,
  newestMove,
  newestStep,
  type RedriveContext,
  recoveriesOf,
  settledAtMs,
  starterOf,
} from './redrive-runs';
import { MOVE_LIMITS } from './redrive-settings';
import { hasComeBack, isUnproven, returnedOf, unknownReturn } from './returned-messages';

/** When a gate is asked: before a run begins, before it goes on, and while a task of its moves letters. */
export type CheckedAt = 'start' | 'go-on' | 'watch';

const ALWAYS: readonly CheckedAt[] = ['start', 'go-on', 'watch'];
const BEFORE_A_STEP: readonly CheckedAt[] = ['start', 'go-on'];
const BEFORE_A_RUN: readonly CheckedAt[] = ['start'];
const BEFORE_THE_NEXT: readonly CheckedAt[] = ['go-on'];
const MEANWHILE: readonly CheckedAt[] = ['watch'];

interface Precondition {
  readonly cause: RedriveCause;
  readonly checkedAt: readonly CheckedAt[];
  /** Why it is shut, or nothing. */
  readonly failsBecause: (view: RedriveContext, planned: PlannedStep | undefined) => string | false | undefined;
}

/** How long no recovery starts another run after the first of a day that was stopped. Our choice. */
const FIRST_REST_MS = 1_800_000;

/** In these a mapping polls no more, or is about to stop; or nobody knows. */
const STOPPED_STATES: readonly string[] = ['Disabled', 'Disabling', 'Deleting', 'missing', 'unread'];

function mappingThat(view: RedriveContext, isWrong: (state: string) => boolean): string | undefined {
  const { mappingIds } = view.settings;
  const states = mappingIds.map(id => ({
    id,
    state: view.facts.mappings.find(it => it.id === id)?.state ?? 'missing',
  }));
  const wrong = states.find(({ state }) => isWrong(state));
  return wrong && `the event source mapping ${wrong.id} is ${wrong.state}`;
}

function alarmThat(
  view: RedriveContext,
  isWrong: (alarm: HealthAlarmFacts) => boolean,
  what: string,
): string | undefined {
  const wrong = view.alarms.find(isWrong);
  return wrong && `the alarm ${wrong.name} ${what}`;
}

function healthyForTooShort(view: RedriveContext): string | undefined {
  const { nowMs } = view.facts;
  const { healthyForMs } = view.settings;
  const isTooFresh = ({ sinceMs = nowMs }: HealthAlarmFacts) => nowMs - sinceMs < healthyForMs;
  return alarmThat(view, isTooFresh, `has not been OK for ${formatDuration(healthyForMs / 1_000)}`);
}

/**
 * What a task moves that runs for longer than letters take to come back can be the same ones again and again: it would never
 * end.
 */
function comingBack(view: RedriveContext): string | false | undefined {
  const {
    history: { current },
    settings,
    facts,
  } = view;
  const step = current && newestStep(current);
  if (!step || !isActive(newestMove(step))) return undefined;
  const elapsedMs = facts.nowMs - newestMove(step).startedAtMs;
  const isTooEarly = elapsedMs < settings.settleMs + 2 * settings.tickMs;
  return !isTooEarly && hasComeBack(view, step) && `${returnedOf(view, step)} of ${movedIn(step)} messages came back`;
}

/** By the canary it is told whether letters come back: where nobody can tell, nothing faster follows. */
function unknownAfterCanary(view: RedriveContext): string | undefined {
  const { current } = view.history;
  return current?.steps.length === 1 && isDone(current.steps[0]) ? unknownReturn(view, current.steps[0]) : undefined;
}

function runsWithinDay({ runs }: History, nowMs: number): number {
  return runs.filter(({ steps: [canary] }) => canary.moves[0].startedAtMs > nowMs - DAY_MS).length;
}

function runsSpent({ settings: { runsPerDay }, facts, history }: RedriveContext): string | false {
  const runs = runsWithinDay(history, facts.nowMs);
  return runs >= runsPerDay && `${runs} runs began within a day, which is all there may be`;
}

function runningOutOfBudget({ history, facts, budget }: RedriveContext): string | undefined {
  const { current } = history;
  const task = current && newestMove(newestStep(current));
  // Who moves messages one by one counts them himself.
  if (task?.carrier !== 'task' || !facts.deadLetters) return undefined;
  const { messagesPerSecond = 1, startedAtMs, moved, toMove } = task;
  const messages = totalOf(facts.deadLetters);
  const underWay = isActive(task)
    ? { elapsedMs: facts.nowMs - startedAtMs, moved, ...(toMove !== undefined && { toMove }) }
    : { elapsedMs: 0, moved: 0 };
  if (isWithinBudget(budget, { messagesPerSecond, messages, ...underWay })) return undefined;
  return `of ${budget.messagesPerDay} messages a day ${messagesLeft(budget)} were left, which the task could pass by the next look`;
}

/** Whether a schedule has to wait: the letters of the last run came back, and nothing has recovered since. */
function isScheduleResting(view: RedriveContext): boolean {
  const { settings, facts, history } = view;
  const { current } = history;
  if (!current || !hasComeBack(view, newestStep(current))) return false;
  const overAtMs = settledAtMs(newestStep(current), settings);
  const [{ moves }] = current.steps;
  const hasRecovered = recoveriesOf(view).some(({ sinceMs }) => sinceMs > moves[0].startedAtMs);
  return facts.nowMs < overAtMs + settings.restMs && !hasRecovered;
}

/**
 * Whether a recovery has to wait after a run that was stopped: an alarm that is OK wherever there is no data recovers without
 * anything being mended. Each run of the day makes it twice as long, so that the runs of a day last for an outage of hours.
 */
function isRecoveryResting({ settings, facts, history, ending }: RedriveContext): boolean {
  if (ending?.cause === undefined) return false;
  const restMs = Math.min(settings.restMs, FIRST_REST_MS * 2 ** (runsWithinDay(history, facts.nowMs) - 1));
  return facts.nowMs < ending.overAtMs + restMs;
}

/** Why whoever asks for a run has to wait; an operator never has. */
function restingFor(view: RedriveContext): string | false {
  switch (starterOf(view)) {
    case 'schedule':
      return isScheduleResting(view) && 'the letters of the last run came back, and nothing has recovered since';
    case 'recovery':
      return isRecoveryResting(view) && 'the last run was stopped, and recoveries wait for a while after that';
    default:
      return false;
  }
}

/** A run of whose steps SQS would not tell any more can keep no budget. */
function tooManyTasks({ settings, facts }: RedriveContext): string | false {
  if (settings.carrier !== 'task') return false;
  const sinceMs = facts.nowMs - DAY_MS;
  const tasks = facts.moves.filter(({ carrier, startedAtMs }) => carrier === 'task' && startedAtMs > sinceMs).length;
  const most = MOVE_LIMITS.reportedTasks;
  const needed = settings.steps.length;
  return (
    tasks + needed > most && `${tasks} tasks began within a day, a run needs ${needed}, and SQS tells of ${most} only`
  );
}

/** Each gate, in the order in which they are asked. */
const PRECONDITIONS: readonly Precondition[] = [
  {
    cause: 'switched-off',
    checkedAt: ALWAYS,
    failsBecause: ({ facts }) => facts.killSwitch === 'off' && 'the switch is off',
  },
  {
    cause: 'switch-unknown',
    checkedAt: ALWAYS,
    failsBecause: ({ facts }) =>
      facts.killSwitch === 'unknown' && 'the switch cannot be read, or says neither on nor off',
  },
  {
    cause: 'no-dead-letter-queue',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) => !facts.deadLetters && 'there is no such dead-letter queue',
  },
  {
    cause: 'no-destination',
    checkedAt: ALWAYS,
    failsBecause: ({ settings, facts }) =>
      settings.destination.kind === 'queue' && !facts.destination && 'the destination is not there',
  },
  {
    cause: 'no-letters',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) => facts.deadLetters?.visible === 0 && 'no dead letter is visible',
  },
  {
    cause: 'foreign-task',
    checkedAt: BEFORE_A_RUN,
    failsBecause: ({ history }) => history.foreign && 'somebody else moves the letters',
  },
  {
    cause: 'consumer-stopped',
    checkedAt: BEFORE_A_STEP,
    failsBecause: view => mappingThat(view, state => state !== 'Enabled'),
  },
  {
    cause: 'consumer-stopped',
    checkedAt: MEANWHILE,
    failsBecause: view => mappingThat(view, state => STOPPED_STATES.includes(state)),
  },
  {
    cause: 'alarm-missing',
    checkedAt: ALWAYS,
    failsBecause: view => alarmThat(view, ({ state }) => state === 'missing', 'is not there'),
  },
  {
    cause: 'alarm-missing',
    checkedAt: ALWAYS,
    failsBecause: view => alarmThat(view, ({ state }) => state === 'unread', 'cannot be looked at'),
  },
  {
    cause: 'alarm-firing',
    checkedAt: ALWAYS,
    failsBecause: view => alarmThat(view, ({ state }) => state === 'ALARM', 'is in ALARM'),
  },
  {
    cause: 'alarm-without-data',
    checkedAt: BEFORE_A_STEP,
    failsBecause: view => alarmThat(view, ({ state }) => state === 'INSUFFICIENT_DATA', 'has no data to judge by'),
  },
  { cause: 'not-healthy-for-long', checkedAt: BEFORE_A_STEP, failsBecause: healthyForTooShort },
  { cause: 'backlog', checkedAt: BEFORE_A_STEP, failsBecause: backlogAbove },
  { cause: 'backlog', checkedAt: MEANWHILE, failsBecause: backlogAboveOwn },
  { cause: 'backlog-too-old', checkedAt: BEFORE_A_STEP, failsBecause: ageAbove },
  { cause: 'backlog-too-old', checkedAt: MEANWHILE, failsBecause: ageAboveOwn },
  { cause: 'unproven', checkedAt: BEFORE_THE_NEXT, failsBecause: isUnproven },
  { cause: 'unproven', checkedAt: BEFORE_THE_NEXT, failsBecause: unknownAfterCanary },
  {
    cause: 'runs-spent',
    checkedAt: BEFORE_A_RUN,
    failsBecause: runsSpent,
  },
  {
    cause: 'messages-spent',
    checkedAt: BEFORE_A_STEP,
    failsBecause: (view, planned) =>
      planned &&
      rateWithinBudget(view, planned) === undefined &&
      `of ${view.settings.messagesPerDay} messages a day ${messagesLeft(view.budget)} are left, which this step could pass`,
  },
  { cause: 'came-back', checkedAt: MEANWHILE, failsBecause: comingBack },
  { cause: 'messages-spent', checkedAt: MEANWHILE, failsBecause: runningOutOfBudget },
  {
    cause: 'history-too-short',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) =>
      !facts.isMovesComplete && 'SQS no longer tells of every move of the day, so no budget can be kept',
  },
  { cause: 'history-too-short', checkedAt: BEFORE_A_RUN, failsBecause: tooManyTasks },
  {
    cause: 'resting',
    checkedAt: BEFORE_A_RUN,
    failsBecause: restingFor,
  },
];

/** A gate, and how it is. */
export interface PreconditionState {
  /** What is told where it is shut. */
  readonly cause: RedriveCause;
  /** Why it is shut. @default - it is open */
  readonly reason?: string;
}

/** A gate that is shut. */
export type FailedPrecondition = Required<PreconditionState>;

/** Each gate that is asked then, in the order in which they are asked. */
export function preconditionsAt(
  moment: CheckedAt,
  view: RedriveContext,
  planned?: PlannedStep,
): readonly PreconditionState[] {
  return PRECONDITIONS.filter(({ checkedAt }) => checkedAt.includes(moment)).map(({ cause, failsBecause }) => {
    const reason = failsBecause(view, planned);
    return reason ? { cause, reason } : { cause };
  });
}

/** The first gate that is shut, if any is. */
export function firstFailedPrecondition(
  moment: CheckedAt,
  view: RedriveContext,
  planned?: PlannedStep,
): FailedPrecondition | undefined {
  return preconditionsAt(moment, view, planned).find((gate): gate is FailedPrecondition => gate.reason !== undefined);
}

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
