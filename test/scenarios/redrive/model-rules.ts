import type { Traced } from '../../../local/kernel/trace';
import type { SqsTraceEvent } from '../../../local/sqs';
import type { RedriveDecision } from '../../../policy/redrive/redrive-decision';
import { DAY_MS } from '../../../policy/time-units';
import type { Look, ModelGame } from './model-game';

type Moved = Traced<Extract<SqsTraceEvent, { type: 'sqs.moved' }>>;
type Decided<Kind extends RedriveDecision['kind']> = Extract<RedriveDecision, { kind: Kind }>;

/** Returns the violations of one rule in a game. */
type Rule = (game: ModelGame) => readonly string[];

function looksThat<Kind extends RedriveDecision['kind']>(game: ModelGame, kind: Kind) {
  const isKind = (look: Look): look is Look & { plan: { decision: Decided<Kind> } } => look.plan.decision.kind === kind;
  return game.looks.filter(isKind);
}

function ratesOf({ settings }: ModelGame): readonly (number | undefined)[] {
  return settings.steps.map(({ messagesPerSecond }) => messagesPerSecond);
}

/** Returns the messages that the redrive moved, without those moved by hand. */
function movedByUs(game: ModelGame): readonly Moved[] {
  const started = game.world.happened('sqs.move-task-started');
  const ours = started.filter(({ atMs }) => game.world.rates.has(atMs));
  const ids = new Set(ours.map(({ taskId }) => taskId));
  return game.world.happened('sqs.moved').filter(({ taskId }) => ids.has(taskId));
}

function arrivalsAmongTheDead({ world, settings: { deadLetters } }: ModelGame): readonly number[] {
  const sent = world.happened('sqs.sent').filter(({ queueArn }) => queueArn === deadLetters.arn);
  const failed = world.happened('sqs.dead-lettered').filter(it => it.deadLetterQueueArn === deadLetters.arn);
  return [...sent, ...failed].map(({ atMs }) => atMs).sort((one, other) => one - other);
}

/** Counts the sorted instants within a period. */
function within(instants: readonly number[], fromMs: number, toMs: number): number {
  return instants.filter(atMs => atMs > fromMs && atMs <= toMs).length;
}

const oneTask: Rule = game => {
  const second = looksThat(game, 'start').filter(({ facts: { moves } }) =>
    moves.some(({ status }) => status === 'RUNNING' || status === 'CANCELLING'),
  );
  return second.map(({ tickAtMs }) => `begins a second task at ${tickAtMs}`);
};

const onlyWhenWell: Rule = game => {
  const unwell = looksThat(game, 'start').filter(({ facts }) => {
    const { killSwitch, alarms, mappings } = facts;
    const isWell = alarms.length === 2 && alarms.every(({ state }) => state === 'OK');
    return killSwitch !== 'on' || !isWell || mappings.some(({ state }) => state !== 'Enabled');
  });
  return unwell.map(({ tickAtMs }) => `begins where not all is well at ${tickAtMs}`);
};

const nobodyElses: Rule = game => {
  const others = looksThat(game, 'cancel').filter(({ facts, plan }) => {
    const move = facts.moves.find(({ handle }) => handle === plan.decision.handle);
    const isRateOfOurs = ratesOf(game).includes(move?.messagesPerSecond);
    return !isRateOfOurs || move?.destinationArn !== game.settings.destination.arn;
  });
  return others.map(({ tickAtMs }) => `cancels somebody else's task at ${tickAtMs}`);
};

const velocity: Rule = game => {
  const cap = Math.max(...game.settings.steps.map(({ messagesPerSecond }) => messagesPerSecond));
  const tooFast = looksThat(game, 'start').filter(({ plan: { decision } }) => {
    const { messagesPerSecond: most = 0 } = game.settings.steps[decision.step] ?? {};
    return decision.messagesPerSecond > most;
  });
  const moved = movedByUs(game);
  // Two tasks can meet within ten seconds, and each moves its first message at once.
  const most = 10 * cap + 2;
  const floods = moved.filter((first, i) => (moved[i + most]?.atMs ?? Number.POSITIVE_INFINITY) - first.atMs < 10_000);
  return [
    ...tooFast.map(({ tickAtMs }) => `is faster than its step at ${tickAtMs}`),
    ...floods.map(({ atMs }) => `moves more than ${most} messages in ten seconds at ${atMs}`),
  ];
};

/**
 * The budget of a day. As long as no two consecutive ticks are lost, only messages that came after the second-last check
 * can exceed it. If more ticks are lost, one task can exceed it until the next check.
 */
const messagesPerDay: Rule = game => {
  const { messagesPerDay: budget, tickMs } = game.settings;
  const instants = game.world.happened('sqs.moved').map(({ atMs }) => atMs);
  if (game.regime === 'the function is down at times' || instants.length <= budget) return [];
  const arrivals = arrivalsAmongTheDead(game);
  const excess = movedByUs(game).filter(({ atMs }) => {
    const today = within(instants, atMs - DAY_MS, atMs);
    return today > budget && today - budget > within(arrivals, atMs - 2 * tickMs - 10_000, atMs);
  });
  return excess.slice(0, 1).map(({ atMs }) => `passes the budget of ${budget} at ${atMs}`);
};

/** Two invocations can start the same canary twice, if the first is over before the second starts. That counts as one run. */
const runsPerDay: Rule = ({ begun, settings }) => {
  const canaries = begun.filter(({ step }) => step === 0).map(({ atMs }) => atMs);
  const runs = canaries.filter((atMs, i) => atMs - (canaries[i - 1] ?? 0) > 10_000);
  const tooMany = runs.filter(atMs => within(runs, atMs - DAY_MS, atMs) > settings.runsPerDay);
  return tooMany.map(atMs => `begins a run too many at ${atMs}`);
};

const nothingLost: Rule = ({ world }) => {
  const all = [...world.processed, ...world.left()];
  const isWhole = all.length === world.sent && new Set(all).size === world.sent;
  return isWhole ? [] : [`has ${new Set(all).size} of ${world.sent} messages, in ${all.length} places`];
};

const quarantine: Rule = game => {
  const { deadLetters, destination } = game.settings;
  const moved = movedByUs(game).filter(it => it.queueArn !== deadLetters.arn || it.destinationArn !== destination.arn);
  const touched = game.world.happened('sqs.moved').filter(({ queueArn }) => queueArn !== deadLetters.arn);
  return [...moved, ...touched].map(({ atMs }) => `moves what it should not at ${atMs}`);
};

const stoppedForGood: Rule = game => {
  const stopped = new Set<number>();
  const goesOn: string[] = [];
  for (const { plan, tickAtMs } of game.looks) {
    const { decision, run } = plan;
    if (decision.kind === 'start' && stopped.has(decision.runStartedAtMs ?? 0)) goesOn.push(`goes on at ${tickAtMs}`);
    if (run?.ending?.cause) stopped.add(run.startedAtMs);
  }
  return goesOn;
};

const reportedOnce: Rule = ({ looks, settings, regime }) => {
  const reported = new Map<number, Set<number>>();
  for (const { plan, tickAtMs } of looks) {
    const { run } = plan;
    if (!run?.ending || tickAtMs < run.ending.overAtMs) continue;
    const ticks = reported.get(run.startedAtMs) ?? new Set();
    if (tickAtMs < run.ending.overAtMs + settings.tickMs) ticks.add(tickAtMs);
    reported.set(run.startedAtMs, ticks);
  }
  const least = regime === 'every tick runs' ? 1 : 0;
  const wrong = [...reported].filter(([, ticks]) => ticks.size > 1 || ticks.size < least);
  return wrong.map(([startedAtMs, ticks]) => `tells ${ticks.size} times of the run of ${startedAtMs}`);
};

/** The rules that every game must keep. */
export const RULES = {
  'there is never more than one task of ours': oneTask,
  'nothing begins where the switch, an alarm or a mapping is against it': onlyWhenWell,
  'nobody else is interfered with': nobodyElses,
  'no step is faster than it may be': velocity,
  'no more messages a day are moved than the budget has': messagesPerDay,
  'no more runs a day begin than the budget has': runsPerDay,
  'no message is lost, and none is doubled': nothingLost,
  'the quarantine is nobody’s source, and letters go nowhere but home': quarantine,
  'a run that was stopped never goes on': stoppedForGood,
  'each run’s end is told once': reportedOnce,
} as const;
