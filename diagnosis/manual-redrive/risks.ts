import { displayNameOf } from '../../policy/arn';
import { MAX_FUNCTION_TIMEOUT_SECONDS, MOVE_TASK_LIMITS } from '../../policy/aws-limits';
import { formatDuration, messagesText } from '../../policy/format-text';
import { replayProblem } from '../../policy/redrive/replay-event';
import { knownValue } from '../../template/maybe-known';
import { feedersOf } from '../inventory/feeders';
import { type MappingFacts, mayLack } from '../inventory/inventory';
import { fleetOfDeadLetters, functionOf, qualifierOf, unqualified } from '../inventory/look-ups';
import { envelopesFor, type OriginalDestination, originalDestinationsOf } from './destination';
import type { ManualRedriveFacts, ManualRedriveOptions } from './manual-redrive-facts';
import type { PlannedMoves } from './planned-moves';

/**
 * The weight of a risk: `blocks` (nothing moves until it is resolved), `danger` (messages may be lost or circulate
 * forever), `note`.
 */
type RiskWeight = 'blocks' | 'danger' | 'note';

export interface RedriveRisk {
  readonly id: string;
  readonly weight: RiskWeight;
  /** In one or two sentences, without the last full stop. */
  readonly says: string;
}

interface RiskView {
  readonly facts: ManualRedriveFacts;
  readonly terms: ManualRedriveOptions;
  readonly home: OriginalDestination;
  readonly plan: PlannedMoves;
  /** The event source mappings that read the destination. */
  readonly readers: readonly MappingFacts[];
}

interface Rule {
  readonly id: string;
  readonly weight: RiskWeight;
  /** Returns undefined if the risk does not apply. */
  readonly says: (view: RiskView) => string | undefined;
}

const LONGEST_TASK_SECONDS = MOVE_TASK_LIMITS.durationSeconds;

/**
 * The share of the retention period, as its denominator, from which a redrive warns that messages may expire: one
 * tenth.
 */
const NOTABLE_PART = 10;

function taskRunning({ facts: { tasks, deadLetters } }: RiskView): string | undefined {
  const [newest] = tasks;
  if (!newest || (newest.status !== 'RUNNING' && newest.status !== 'CANCELLING')) return undefined;
  const { status, moved } = newest;
  return (
    `a task of SQS is already moving messages of ${deadLetters.name} (${status}, SQS reports ${moved} moved): ` +
    'dlo dlq watch follows it, dlo dlq cancel ends it'
  );
}

/**
 * Why messages cannot be replayed to the destination function. The command runs without a time limit, so it can wait for
 * a function with Lambda's highest timeout.
 */
function notReplayable({ home, plan, facts: { inventory } }: RiskView): string | undefined {
  if (home.kind !== 'function') return undefined;
  const qualifier = qualifierOf(home.arn) ?? '$LATEST';
  const invokes = knownValue(functionOf(unqualified(home.arn), inventory)?.eventInvokes ?? []) ?? [];
  const onSuccessArn = knownValue(invokes.find(it => it.qualifier === qualifier)?.onSuccessArn);
  const { functionTimeoutSeconds: timeoutSeconds = MAX_FUNCTION_TIMEOUT_SECONDS } = plan;
  const problem = replayProblem(
    { timeoutSeconds, ...(onSuccessArn && { onSuccessArn }) },
    MAX_FUNCTION_TIMEOUT_SECONDS,
  );
  return problem && `${displayNameOf(home.arn)} ${problem}`;
}

function tasksUnknown({ facts: { areTasksUnknown = false, deadLetters } }: RiskView): string | undefined {
  return areTasksUnknown ? `whether a task of SQS already moves messages of ${deadLetters.name} is unknown` : undefined;
}

function redrivesUnknown({ facts: { inventory, deadLetters } }: RiskView): string | undefined {
  if (!mayLack(inventory, 'functions')) return undefined;
  return `whether a Redrive of an app redrives ${deadLetters.name} automatically is unknown`;
}

/** What is unknown of where the messages were for. Only messages that name their subscription are certain. */
function sourcesUnknown({ facts: { inventory, deadLetters }, plan, home }: RiskView): string | undefined {
  if (!mayLack(inventory, 'feeders') || plan.selection) return undefined;
  return `what sends dead letters to ${deadLetters.name} could not all be read: its messages may also be for other destinations, and all of them go to ${displayNameOf(home.arn)}`;
}

/** The destination is certain only when the operator has named it. */
function destinationUnsure(view: RiskView): string | undefined {
  const { to, subscription } = view.terms;
  const why = to === undefined && subscription === undefined ? sourcesUnknown(view) : undefined;
  return why && `${why}. Name the destination with --to if that is right`;
}

function sourcesUnsure(view: RiskView): string | undefined {
  return destinationUnsure(view) === undefined ? sourcesUnknown(view) : undefined;
}

function redriveWatches({ facts: { redrives, deadLetters } }: RiskView): string | undefined {
  const acting = redrives.filter(({ enabled }) => enabled).map(({ name }) => name);
  const [first] = acting;
  if (first === undefined) return undefined;
  return (
    `${acting.join(', ')} redrives ${deadLetters.name} automatically, and may start at the same time: ` +
    `stop it with dlo redrive stop ${first} --execute, or let it do the redrive with dlo redrive run ${first}`
  );
}

/** What happens to the other messages if the canary is not consumed. */
function heldBack({ canary }: RiskView['plan']): string {
  return canary ? '; if the canary is not consumed, nothing more moves; --canary 0 skips the canary' : '';
}

function unread({ home, readers, plan, facts: { inventory } }: RiskView): string | undefined {
  if (home.kind === 'function' || readers.length > 0) return undefined;
  if (mayLack(inventory, 'mappings')) return `what reads ${displayNameOf(home.arn)} is unknown${heldBack(plan)}`;
  return `no function reads ${displayNameOf(home.arn)} by an event source mapping, and whether it has another consumer is unknown${heldBack(plan)}`;
}

function stopped({ home, readers, plan }: RiskView): string | undefined {
  if (readers.length === 0 || readers.some(({ isEnabled }) => knownValue(isEnabled) !== false)) return undefined;
  const names = readers.map(({ functionArn, name }) => displayNameOf(knownValue(functionArn) ?? name)).join(', ');
  return `the event source mapping by which ${names} reads ${displayNameOf(home.arn)} is not enabled: messages would wait there${heldBack(plan)}`;
}

function comesBackHere({ plan, facts: { deadLetters }, home }: RiskView): string | undefined {
  if (plan.failuresArn !== deadLetters.arn) return undefined;
  if (home.kind === 'function') {
    return `a message that ${displayNameOf(home.arn)} fails on again stays in ${deadLetters.name}: fix the cause first`;
  }
  const times = plan.destinationQueue?.maxReceiveCount;
  const after = times === undefined ? 'when its retries are used up' : `when it was received ${times} times`;
  return `a message that fails again at ${displayNameOf(home.arn)} comes back to ${deadLetters.name}, ${after}: fix the cause first`;
}

function ofFleet({ facts: { deadLetters, inventory }, home, terms }: RiskView): string | undefined {
  const { name, eventsQueueArn, deliveriesQueueArn } = fleetOfDeadLetters(deadLetters.arn, inventory) ?? {};
  if (home.arn === deliveriesQueueArn) {
    return `a message of the fleet ${name} that is too old gets one attempt there: dlo fleet replay gives each of them all attempts again`;
  }
  if (home.arn !== eventsQueueArn || terms.filter !== undefined) return undefined;
  return `messages for one endpoint are no events: the fleet ${name} sends them back at once. dlo fleet replay sends them`;
}

function failuresNowhere({ plan, home }: RiskView): string | undefined {
  if (plan.failuresArn !== undefined) return undefined;
  const kept = plan.destinationQueue?.retentionSeconds ?? 0;
  return `${displayNameOf(home.arn)} has no dead-letter queue: a message that fails there again is retried until it expires, ${formatDuration(kept)} after it was sent`;
}

function notFed({ facts: { deadLetters, inventory } }: RiskView): string | undefined {
  if (feedersOf(deadLetters.arn, inventory).length > 0 || mayLack(inventory, 'feeders')) return undefined;
  return `according to the configuration, nothing sends dead letters to ${deadLetters.name}: make sure that it is the right queue`;
}

function severalSources({ facts: { deadLetters, inventory }, home, plan }: RiskView): string | undefined {
  if (plan.selection) return undefined;
  const { destinations, withoutDestination } = originalDestinationsOf(deadLetters.arn, inventory);
  const others = [
    ...destinations.map(({ arn }) => arn).filter(arn => arn !== home.arn),
    ...withoutDestination.map(it => it.feeder.resource.name),
  ];
  if (others.length === 0) return undefined;
  return `messages of ${deadLetters.name} were also for ${others.map(displayNameOf).join(', ')}: all of them go to ${displayNameOf(home.arn)}`;
}

function envelopes({ facts, home }: RiskView): string | undefined {
  switch (envelopesFor(facts, home)) {
    case 'raw':
      return `the messages are SNS envelopes, and ${displayNameOf(home.arn)} receives that topic's messages raw: each is taken out of its envelope`;
    case 'unknown':
      return `the messages are SNS envelopes: the consumer of ${displayNameOf(home.arn)} must understand them`;
    default:
      return undefined;
  }
}

function transformed({ facts: { deadLetters, inventory } }: RiskView): string | undefined {
  if (!feedersOf(deadLetters.arn, inventory).some(({ kind }) => kind === 'rule')) return undefined;
  return 'the dead letters of a rule contain the original event: the rule’s input transformation is not applied again';
}

function ungrouped({ plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  if (deadLetters.isFifo || !destinationQueue?.isFifo) return undefined;
  return `${destinationQueue.name} is a FIFO queue, where SQS refuses messages without a message group: messages of ${deadLetters.name} only have one if their sender set it, and the others stay`;
}

function order({ plan: { deadLetters, destinationQueue, canary } }: RiskView): string | undefined {
  if (!deadLetters.isFifo) return undefined;
  if (destinationQueue && !destinationQueue.isFifo)
    return `${destinationQueue.name} is not a FIFO queue: the order of the messages is lost`;
  const first = canary ? ', and the first messages of each group are sent before the others' : '';
  return `messages arrive after newer messages of their group${first}`;
}

function behindOthers({ plan: { deadLetters, filter, selection } }: RiskView): string | undefined {
  if ((filter === undefined && !selection) || !deadLetters.isFifo) return undefined;
  return 'while a message of a group stays, SQS delivers at most ten of the group: messages further behind are not reached';
}

function inFlight({ plan: { deadLetters, carrier } }: RiskView): string | undefined {
  const { inFlight: hidden, delayed } = deadLetters.depth;
  if (hidden + delayed === 0) return undefined;
  const who = carrier === 'task' ? 'SQS moves' : 'dlo moves';
  return `${messagesText(hidden + delayed)} cannot be received at the moment, and ${who} only those that can: run it again for the rest`;
}

function expiring({ plan: { deadLetters, takesSeconds, messagesPerSecond, carrier } }: RiskView): string | undefined {
  const { retentionSeconds } = deadLetters;
  if (carrier === 'task' && takesSeconds > LONGEST_TASK_SECONDS) {
    return `SQS ends a task after ${formatDuration(LONGEST_TASK_SECONDS)}, and this takes ${formatDuration(takesSeconds)} at ${messagesPerSecond} messages per second: raise --rate`;
  }
  if (takesSeconds * NOTABLE_PART < retentionSeconds) return undefined;
  return `it takes ${formatDuration(takesSeconds)}, and the queue keeps messages for ${formatDuration(retentionSeconds)}: some may expire before they are moved`;
}

/** The keys of the queues that SQS moves messages from: a moved message keeps its encryption. */
function sourceKeyIds({ deadLetters, inventory }: ManualRedriveFacts): readonly string[] {
  const moving = feedersOf(deadLetters.arn, inventory).filter(({ kind }) => kind === 'queue');
  const sources = inventory.queues.filter(({ arn }) => moving.some(({ resource }) => resource.arn === arn));
  return sources.flatMap(({ keyId }) => knownValue(keyId) ?? []);
}

function keys({ facts, plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  const own = deadLetters.keyId === undefined ? [] : [deadLetters.keyId];
  const takes = [
    ...[...new Set([...own, ...sourceKeyIds(facts)])].map(keyId => `kms:Decrypt for ${keyId}`),
    ...(destinationQueue?.keyId === undefined
      ? []
      : [`kms:GenerateDataKey and kms:Decrypt for ${destinationQueue.keyId}`]),
  ];
  if (takes.length === 0) return undefined;
  return `the queues are encrypted: the caller needs ${takes.join(', and ')}`;
}

function larger({ plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  if (!destinationQueue || destinationQueue.maximumMessageBytes >= deadLetters.maximumMessageBytes) return undefined;
  const { name, maximumMessageBytes } = destinationQueue;
  return `${name} accepts messages of up to ${maximumMessageBytes} bytes: longer messages stay`;
}

function receivedAgain({ plan: { deadLetters, carrier } }: RiskView): string | undefined {
  const { deadLetterTargetArn, maxReceiveCount, name } = deadLetters;
  if (deadLetterTargetArn === undefined || carrier === 'task') return undefined;
  return `${name} has a dead-letter queue itself, ${displayNameOf(deadLetterTargetArn)}: each message that stays has been received once more, and goes there after ${maxReceiveCount} times`;
}

function twice({ plan: { carrier, deadLetters } }: RiskView): string | undefined {
  if (carrier === 'task' || deadLetters.isFifo) return undefined;
  const done = carrier === 'copy' ? 'the queue has it' : 'the function has succeeded';
  const once = `a message is deleted only when ${done} for certain: if the redrive is interrupted in between, it is sent twice`;
  return `${once}. A lease, a tag of the queue, keeps a second redrive of dlo away`;
}

/** Every risk, the worst first. */
const RULES: readonly Rule[] = [
  { id: 'task-running', weight: 'blocks', says: taskRunning },
  { id: 'not-replayable', weight: 'blocks', says: notReplayable },
  { id: 'destination-unsure', weight: 'blocks', says: destinationUnsure },
  { id: 'of-a-fleet', weight: 'danger', says: ofFleet },
  { id: 'failures-nowhere', weight: 'danger', says: failuresNowhere },
  { id: 'redrive-watches', weight: 'danger', says: redriveWatches },
  { id: 'consumer-stopped', weight: 'danger', says: stopped },
  { id: 'comes-back-here', weight: 'danger', says: comesBackHere },
  { id: 'not-a-dead-letter-queue', weight: 'danger', says: notFed },
  { id: 'several-sources', weight: 'danger', says: severalSources },
  { id: 'sources-unknown', weight: 'danger', says: sourcesUnsure },
  { id: 'tasks-unknown', weight: 'danger', says: tasksUnknown },
  { id: 'redrives-unknown', weight: 'danger', says: redrivesUnknown },
  { id: 'expiring', weight: 'danger', says: expiring },
  { id: 'ungrouped', weight: 'danger', says: ungrouped },
  { id: 'larger', weight: 'danger', says: larger },
  { id: 'envelopes', weight: 'note', says: envelopes },
  { id: 'transformed', weight: 'note', says: transformed },
  { id: 'unread', weight: 'note', says: unread },
  { id: 'order', weight: 'note', says: order },
  { id: 'behind-others', weight: 'note', says: behindOthers },
  { id: 'in-flight', weight: 'note', says: inFlight },
  { id: 'keys', weight: 'note', says: keys },
  { id: 'received-again', weight: 'note', says: receivedAgain },
  { id: 'twice', weight: 'note', says: twice },
];

/** The risks of a redrive, the worst first. */
export function risksOf(view: RiskView): readonly RedriveRisk[] {
  return RULES.flatMap(({ id, weight, says }) => {
    const text = says(view);
    return text === undefined ? [] : [{ id, weight, says: text }];
  });
}
