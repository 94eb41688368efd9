import { MOVE_TASK_LIMITS } from '../aws-limits';
import { formatDuration } from '../format-text';
import { DAY_MS } from '../time-units';
import { isWithinBudget, messagesLeft, totalOf } from './budget';
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
import { canaryNotConsumed, failedAgainText, hasComeBack, returnedOf, unknownReturn } from './returned-messages';

/**
 * When a precondition is checked: before a run starts, before its next step, and while one of its tasks moves messages.
 */
type CheckedAt = 'start' | 'next-step' | 'while-moving';

const ALWAYS: readonly CheckedAt[] = ['start', 'next-step', 'while-moving'];

const BEFORE_A_STEP: readonly CheckedAt[] = ['start', 'next-step'];

const BEFORE_A_RUN: readonly CheckedAt[] = ['start'];

const BEFORE_THE_NEXT_STEP: readonly CheckedAt[] = ['next-step'];

const WHILE_MOVING: readonly CheckedAt[] = ['while-moving'];

interface Precondition {
  readonly cause: RedriveCause;
  readonly checkedAt: readonly CheckedAt[];
  /** Returns why the precondition fails; false or undefined if it holds. */
  readonly failsBecause: (context: RedriveContext, planned: PlannedStep | undefined) => string | false | undefined;
}

const PRECONDITIONS: readonly Precondition[] = [
  {
    cause: 'switched-off',
    checkedAt: ALWAYS,
    failsBecause: ({ facts }) => facts.killSwitch === 'off' && 'the kill switch is off',
  },
  {
    cause: 'switch-unknown',
    checkedAt: ALWAYS,
    failsBecause: ({ facts }) =>
      facts.killSwitch === 'unknown' && 'the kill switch cannot be read, or is neither on nor off',
  },
  {
    cause: 'no-dead-letter-queue',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) => !facts.deadLetters && 'the dead-letter queue does not exist',
  },
  {
    cause: 'no-destination',
    checkedAt: ALWAYS,
    failsBecause: ({ settings, facts }) =>
      settings.destination.kind === 'queue' && !facts.destination && 'the destination does not exist',
  },
  {
    cause: 'no-dead-letters',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) => facts.deadLetters?.visible === 0 && 'no dead letter is visible',
  },
  {
    cause: 'foreign-task',
    checkedAt: BEFORE_A_RUN,
    failsBecause: ({ history }) => history.foreign && 'another process moves the messages',
  },
  {
    cause: 'consumer-stopped',
    checkedAt: BEFORE_A_STEP,
    failsBecause: context => mappingThat(context, state => state !== 'Enabled'),
  },
  {
    cause: 'consumer-stopped',
    checkedAt: WHILE_MOVING,
    failsBecause: context => mappingThat(context, state => STOPPED_STATES.includes(state)),
  },
  {
    cause: 'alarm-missing',
    checkedAt: ALWAYS,
    failsBecause: context => alarmThat(context, ({ state }) => state === 'missing', 'does not exist'),
  },
  {
    cause: 'alarm-missing',
    checkedAt: ALWAYS,
    failsBecause: context => alarmThat(context, ({ state }) => state === 'unread', 'cannot be read'),
  },
  {
    cause: 'alarm-firing',
    checkedAt: ALWAYS,
    failsBecause: context => alarmThat(context, ({ state }) => state === 'ALARM', 'is in ALARM'),
  },
  {
    cause: 'alarm-without-data',
    checkedAt: BEFORE_A_STEP,
    failsBecause: context => alarmThat(context, ({ state }) => state === 'INSUFFICIENT_DATA', 'has no data'),
  },
  { cause: 'not-healthy-for-long', checkedAt: BEFORE_A_STEP, failsBecause: healthyForTooShort },
  { cause: 'backlog', checkedAt: BEFORE_A_STEP, failsBecause: backlogAbove },
  { cause: 'backlog', checkedAt: WHILE_MOVING, failsBecause: backlogAboveOwn },
  { cause: 'backlog-too-old', checkedAt: BEFORE_A_STEP, failsBecause: ageAbove },
  { cause: 'backlog-too-old', checkedAt: WHILE_MOVING, failsBecause: ageAboveOwn },
  { cause: 'not-consumed', checkedAt: BEFORE_THE_NEXT_STEP, failsBecause: canaryNotConsumed },
  { cause: 'unknown', checkedAt: BEFORE_THE_NEXT_STEP, failsBecause: unknownAfterCanary },
  {
    cause: 'runs-spent',
    checkedAt: BEFORE_A_RUN,
    failsBecause: runsSpent,
  },
  {
    cause: 'messages-spent',
    checkedAt: BEFORE_A_STEP,
    failsBecause: (context, planned) =>
      planned &&
      rateWithinBudget(context, planned) === undefined &&
      `${messagesLeft(context.budget)} of the day’s ${context.settings.messagesPerDay} messages are left, and this step could move more`,
  },
  { cause: 'returned', checkedAt: WHILE_MOVING, failsBecause: comingBack },
  { cause: 'messages-spent', checkedAt: WHILE_MOVING, failsBecause: runningOutOfBudget },
  {
    cause: 'history-too-short',
    checkedAt: BEFORE_A_STEP,
    failsBecause: ({ facts }) =>
      !facts.isMovesComplete && 'SQS no longer lists every move of the day, so the budget cannot be kept',
  },
  { cause: 'history-too-short', checkedAt: BEFORE_A_RUN, failsBecause: tooManyTasks },
  {
    cause: 'resting',
    checkedAt: BEFORE_A_RUN,
    failsBecause: restingFor,
  },
];

export interface PreconditionState {
  /** The cause that is reported if it fails. */
  readonly cause: RedriveCause;
  /** Why it fails. @default - the precondition holds */
  readonly reason?: string;
}

export type FailedPrecondition = Required<PreconditionState>;

/** Every precondition that is checked at that time, in the order of the checks. */
export function preconditionsAt(
  moment: CheckedAt,
  context: RedriveContext,
  planned?: PlannedStep,
): readonly PreconditionState[] {
  return PRECONDITIONS.filter(({ checkedAt }) => checkedAt.includes(moment)).map(({ cause, failsBecause }) => {
    const reason = failsBecause(context, planned);
    return reason ? { cause, reason } : { cause };
  });
}

export function firstFailedPrecondition(
  moment: CheckedAt,
  context: RedriveContext,
  planned?: PlannedStep,
): FailedPrecondition | undefined {
  return preconditionsAt(moment, context, planned).find(
    (state): state is FailedPrecondition => state.reason !== undefined,
  );
}

function mappingThat(context: RedriveContext, isWrong: (state: string) => boolean): string | undefined {
  const { mappingIds } = context.settings;
  const states = mappingIds.map(id => ({
    id,
    state: context.facts.mappings.find(it => it.id === id)?.state ?? 'missing',
  }));
  const wrong = states.find(({ state }) => isWrong(state));
  return wrong && `the event source mapping ${wrong.id} is ${wrong.state}`;
}

/** States in which a mapping does not poll or is about to stop, and states that are unknown. */
const STOPPED_STATES: readonly string[] = ['Disabled', 'Disabling', 'Deleting', 'missing', 'unread'];

function alarmThat(
  context: RedriveContext,
  isWrong: (alarm: HealthAlarmFacts) => boolean,
  what: string,
): string | undefined {
  const wrong = context.alarms.find(isWrong);
  return wrong && `the alarm ${wrong.name} ${what}`;
}

function healthyForTooShort(context: RedriveContext): string | undefined {
  const { nowMs } = context.facts;
  const { healthyForMs } = context.settings;
  const isTooFresh = ({ sinceMs = nowMs }: HealthAlarmFacts) => nowMs - sinceMs < healthyForMs;
  return alarmThat(context, isTooFresh, `has not been OK for ${formatDuration(healthyForMs / 1_000)}`);
}

/**
 * If a task runs for longer than messages take to come back, it may move the same messages again and again, and would
 * never end.
 */
function comingBack(context: RedriveContext): string | false | undefined {
  const {
    history: { current },
    settings,
    facts,
  } = context;
  const step = current && newestStep(current);
  if (!step || !isActive(newestMove(step))) return undefined;
  const failedAgain = failedAgainText(context, step);
  if (failedAgain) return failedAgain;
  const elapsedMs = facts.nowMs - newestMove(step).startedAtMs;
  const isTooEarly = elapsedMs < settings.settleMs + 2 * settings.tickMs;
  return (
    !isTooEarly && hasComeBack(context, step) && `${returnedOf(context, step)} of ${movedIn(step)} messages came back`
  );
}

/** The canary shows whether messages come back. If that cannot be determined, no faster step follows. */
function unknownAfterCanary(context: RedriveContext): string | undefined {
  const { current } = context.history;
  return current?.steps.length === 1 && isDone(current.steps[0]) ? unknownReturn(context, current.steps[0]) : undefined;
}

/**
 * How long recoveries start no run after the first stopped run of a day. Half an hour: enough for a person to look, and
 * short enough not to lose the day.
 */
const FIRST_REST_MS = 1_800_000;

function runsWithinDay({ runs }: History, nowMs: number): number {
  return runs.filter(({ steps: [canary] }) => canary.moves[0].startedAtMs > nowMs - DAY_MS).length;
}

function runsSpent({ settings: { runsPerDay }, facts, history }: RedriveContext): string | false {
  const runs = runsWithinDay(history, facts.nowMs);
  return runs >= runsPerDay && `${runs} runs began within a day, which is the limit`;
}

function runningOutOfBudget({ history, facts, budget }: RedriveContext): string | undefined {
  const { current } = history;
  const task = current && newestMove(newestStep(current));
  // A function that moves messages counts them itself.
  if (task?.carrier !== 'task' || !facts.deadLetters) return undefined;
  const { messagesPerSecond = 1, startedAtMs, moved, toMove } = task;
  const messages = totalOf(facts.deadLetters);
  const underWay = isActive(task)
    ? { elapsedMs: facts.nowMs - startedAtMs, moved, ...(toMove !== undefined && { toMove }) }
    : { elapsedMs: 0, moved: 0 };
  if (isWithinBudget(budget, { messagesPerSecond, messages, ...underWay })) return undefined;
  return `${messagesLeft(budget)} of the day’s ${budget.messagesPerDay} messages are left, and the task could move more before the next check`;
}

/** SQS lists only the last ten tasks. A budget cannot be kept for a run with more tasks than SQS would list. */
function tooManyTasks({ settings, facts }: RedriveContext): string | false {
  if (settings.carrier !== 'task') return false;
  const sinceMs = facts.nowMs - DAY_MS;
  const tasks = facts.moves.filter(({ carrier, startedAtMs }) => carrier === 'task' && startedAtMs > sinceMs).length;
  const most = MOVE_TASK_LIMITS.listedTasks;
  const needed = settings.steps.length;
  return (
    tasks + needed > most && `${tasks} tasks began within a day, a run needs ${needed}, and SQS lists only ${most}`
  );
}

/** Why a schedule or a recovery may not start a run yet, after one that was stopped. An operator may always start one. */
function restingFor(context: RedriveContext): string | false {
  switch (starterOf(context)) {
    case 'schedule':
      return isScheduleResting(context) && 'the messages of the last run came back, and no alarm has recovered since';
    case 'recovery':
      return isRecoveryResting(context) && 'the last run was stopped, and recoveries start no run for a while';
    default:
      return false;
  }
}

/** Whether a schedule must wait: the messages of the last run came back, and no alarm has recovered since. */
function isScheduleResting(context: RedriveContext): boolean {
  const { settings, facts, history } = context;
  const { current } = history;
  if (!current || !hasComeBack(context, newestStep(current))) return false;
  const overAtMs = settledAtMs(newestStep(current), settings);
  const [{ moves }] = current.steps;
  const hasRecovered = recoveriesOf(context).some(({ sinceMs }) => sinceMs > moves[0].startedAtMs);
  return facts.nowMs < overAtMs + settings.restMs && !hasRecovered;
}

/**
 * Whether a recovery must wait after a run that was stopped. An alarm that treats missing data as OK recovers without a
 * repair. The wait doubles with each run of the day, so that the runs of a day last for an outage of hours.
 */
function isRecoveryResting({ settings, facts, history, ending }: RedriveContext): boolean {
  if (ending?.cause === undefined) return false;
  const restMs = Math.min(settings.restMs, FIRST_REST_MS * 2 ** (runsWithinDay(history, facts.nowMs) - 1));
  return facts.nowMs < ending.overAtMs + restMs;
}

/** Whether too many messages wait in the destination before a step begins. */
function backlogAbove(context: RedriveContext): string | undefined {
  return backlogOver(context, 0);
}

/** Whether too many messages wait in the destination while a step moves messages there. */
function backlogAboveOwn(context: RedriveContext): string | undefined {
  return backlogOver(context, ownMessages(context).messages);
}

/** Whether the oldest message in the destination is too old before a step begins. */
function ageAbove(context: RedriveContext): string | undefined {
  return ageOver(context, 0);
}

/** Whether the oldest message is too old while a step moves messages there, even if it is one of the step's own. */
function ageAboveOwn(context: RedriveContext): string | undefined {
  return ageOver(context, ownMessages(context).waitedMs);
}

function backlogOver(
  { settings: { maxBacklog }, facts: { destination } }: RedriveContext,
  own: number,
): string | undefined {
  if (maxBacklog === undefined || !destination) return undefined;
  const waiting = destination.depth.visible + destination.depth.delayed;
  if (waiting <= maxBacklog + own) return undefined;
  const ofOurs = own > 0 ? `, in addition to ${own} of this step` : '';
  return `${waiting} messages wait in the destination, where ${maxBacklog} are allowed${ofOurs}`;
}

function ageOver(
  { settings: { maxAgeSeconds }, facts: { destination } }: RedriveContext,
  ownMs: number,
): string | undefined {
  const age = destination?.oldestAgeSeconds;
  if (maxAgeSeconds === undefined || age === undefined) return undefined;
  const most = Math.max(maxAgeSeconds, Math.floor(ownMs / 1_000));
  return age > most
    ? `the oldest message in the destination is ${formatDuration(age)} old, where ${formatDuration(most)} is allowed`
    : undefined;
}

/** How many of the current step's messages may wait in the destination, and for how long, without a fault. */
interface OwnMessages {
  readonly messages: number;
  readonly waitedMs: number;
}

/**
 * What may wait of the step's own messages, in addition to the allowed backlog: as many as the step moves until a
 * failed message has come back. A consumer that works off a message in that time keeps up. A slower consumer is overrun
 * by the step, so the run stops.
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
