import { displayNameOf } from '../../policy/arn';
import { formatDuration, messagesText } from '../../policy/format-text';
import { isKnown, knownValue } from '../../template/maybe-known';
import { feedersOf } from '../inventory/feeders';
import type { MappingFacts } from '../inventory/inventory';
import { functionOf } from '../inventory/look-ups';
import { envelopesFor, type OriginalDestination, originalDestinationsOf } from './destination';
import type { ManualRedriveFacts, ManualRedriveOptions } from './facts';
import type { ManualRedrivePlan } from './plan';

/**
 * How bad it is: nothing moves until it is otherwise; letters may be lost by it, or go round for ever; or somebody should know
 * it.
 */
export type RiskWeight = 'blocks' | 'danger' | 'note';

/** What could go wrong with a move. */
export interface RedriveRisk {
  readonly id: string;
  readonly weight: RiskWeight;
  /** In a sentence or two, without the full stop of the last. */
  readonly says: string;
}

/** What risks are read from. */
export interface RiskView {
  readonly facts: ManualRedriveFacts;
  readonly terms: ManualRedriveOptions;
  readonly home: OriginalDestination;
  readonly plan: Omit<ManualRedrivePlan, 'risks'>;
  /** The mappings that read the destination. */
  readonly readers: readonly MappingFacts[];
}

interface Rule {
  readonly id: string;
  readonly weight: RiskWeight;
  /** Undefined where it does not apply. */
  readonly says: (view: RiskView) => string | undefined;
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html */
const LONGEST_TASK_SECONDS = 36 * 3_600;

/** Our choice: of the time letters are kept, how much a move may take before it is said that some may expire in it. */
const NOTABLE_PART = 10;

/** A function of which nothing has been read. */
const UNREAD = { unknownBecause: 'is not among those that were read' };

function taskRunning({ facts: { tasks, deadLetters } }: RiskView): string | undefined {
  const [newest] = tasks;
  if (!newest || (newest.status !== 'RUNNING' && newest.status !== 'CANCELLING')) return undefined;
  const { status, moved } = newest;
  return (
    `a task of SQS moves letters of ${deadLetters.name} already (${status}, ${moved} moved as far as SQS tells): ` +
    'dlo dlq watch follows it, dlo dlq cancel ends it'
  );
}

function redriveWatches({ facts: { redrives, deadLetters } }: RiskView): string | undefined {
  const acting = redrives.filter(({ enabled }) => enabled).map(({ name }) => name);
  const [first] = acting;
  if (first === undefined) return undefined;
  return (
    `${acting.join(', ')} redrives ${deadLetters.name} by itself, and may begin meanwhile: ` +
    `dlo redrive stop ${first} --execute keeps it from that, and dlo redrive run ${first} has it do this instead`
  );
}

/** What becomes of the others where nobody takes the canary. */
function heldBack({ canary }: RiskView['plan']): string {
  return canary ? '; unless somebody takes the canary, nothing more moves, and --canary 0 goes past that' : '';
}

function unread({ home, readers, plan }: RiskView): string | undefined {
  if (home.kind === 'function' || readers.length > 0) return undefined;
  return `no function reads ${displayNameOf(home.arn)} by an event source mapping: whether anybody else reads it nobody says here${heldBack(plan)}`;
}

function stopped({ home, readers, plan }: RiskView): string | undefined {
  if (readers.length === 0 || readers.some(({ isEnabled }) => knownValue(isEnabled) !== false)) return undefined;
  const names = readers.map(({ functionArn, name }) => displayNameOf(knownValue(functionArn) ?? name)).join(', ');
  return `the event source mapping by which ${names} reads ${displayNameOf(home.arn)} is not enabled: letters would wait there unread${heldBack(plan)}`;
}

function comesBackHere({ plan, facts: { deadLetters }, home }: RiskView): string | undefined {
  if (plan.failuresArn !== deadLetters.arn) return undefined;
  const times = plan.destinationQueue?.maxReceiveCount;
  const after = times === undefined ? 'when its tries are over' : `when it was received ${times} times`;
  return `what fails at ${displayNameOf(home.arn)} again comes back to ${deadLetters.name}, ${after}: mend first what they died of`;
}

function failuresNowhere({ facts: { inventory }, plan, home }: RiskView): string | undefined {
  if (plan.failuresArn !== undefined) return undefined;
  if (home.kind === 'function') {
    const { eventInvokes = UNREAD, deadLetterTargetArn } = functionOf(home.arn, inventory) ?? {};
    if (!isKnown(eventInvokes) || !isKnown(deadLetterTargetArn)) return undefined;
    return `what ${displayNameOf(home.arn)} fails at again is lost: it has no dead-letter queue and no destination on failure`;
  }
  const kept = plan.destinationQueue?.retentionSeconds ?? 0;
  return `${displayNameOf(home.arn)} has no dead-letter queue: what fails there again is tried until it expires, ${formatDuration(kept)} after it was sent`;
}

function notFed({ facts: { deadLetters, inventory } }: RiskView): string | undefined {
  if (feedersOf(deadLetters.arn, inventory).length > 0) return undefined;
  return `nobody sends dead letters to ${deadLetters.name}, as far as the configuration tells: make sure that it is the queue you mean`;
}

function severalSources({ facts: { deadLetters, inventory }, home }: RiskView): string | undefined {
  const { destinations, withoutDestination } = originalDestinationsOf(deadLetters.arn, inventory);
  const others = [
    ...destinations.map(({ arn }) => arn).filter(arn => arn !== home.arn),
    ...withoutDestination.map(it => it.feeder.resource.name),
  ];
  if (others.length === 0) return undefined;
  return `letters of ${deadLetters.name} were for ${others.map(displayNameOf).join(', ')} too: all of them go to ${displayNameOf(home.arn)}`;
}

function envelopes({ facts, home }: RiskView): string | undefined {
  switch (envelopesFor(facts, home)) {
    case 'raw':
      return `the letters are envelopes of SNS, and ${displayNameOf(home.arn)} receives that topic's messages raw: each is taken out of its envelope`;
    case 'unknown':
      return `the letters are envelopes of SNS: whoever reads ${displayNameOf(home.arn)} must know them`;
    default:
      return undefined;
  }
}

function transformed({ facts: { deadLetters, inventory } }: RiskView): string | undefined {
  if (!feedersOf(deadLetters.arn, inventory).some(({ kind }) => kind === 'rule')) return undefined;
  return 'the letters of a rule hold the event itself: what the rule would have made of it for its target is not done again';
}

function ungrouped({ plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  if (deadLetters.isFifo || !destinationQueue?.isFifo) return undefined;
  return `${destinationQueue.name} is a FIFO queue, and SQS refuses there what has no message group: letters of ${deadLetters.name} have one only where their sender gave it, and the others stay`;
}

function order({ plan: { deadLetters, destinationQueue, canary } }: RiskView): string | undefined {
  if (!deadLetters.isFifo) return undefined;
  if (destinationQueue && !destinationQueue.isFifo)
    return `${destinationQueue.name} is no FIFO queue: the order of the letters is lost`;
  const first = canary ? ', and the first letters of each group go before the others' : '';
  return `letters come after those of their group that were sent since they died${first}`;
}

function behindOthers({ terms: { filter }, plan: { deadLetters } }: RiskView): string | undefined {
  if (filter === undefined || !deadLetters.isFifo) return undefined;
  return 'while one of a group stays, SQS hands out at most ten of it: letters that lie further behind are not reached';
}

function inFlight({ plan: { deadLetters, carrier } }: RiskView): string | undefined {
  const { inFlight: hidden, delayed } = deadLetters.depth;
  if (hidden + delayed === 0) return undefined;
  const who = carrier === 'task' ? 'SQS moves' : 'we move';
  return `${messagesText(hidden + delayed)} cannot be received just now, and ${who} only those that can: run it again for what is left`;
}

function expiring({ plan: { deadLetters, takesSeconds, messagesPerSecond, carrier } }: RiskView): string | undefined {
  const { retentionSeconds } = deadLetters;
  if (carrier === 'task' && takesSeconds > LONGEST_TASK_SECONDS) {
    return `SQS ends a task after ${formatDuration(LONGEST_TASK_SECONDS)}, and this takes ${formatDuration(takesSeconds)} at ${messagesPerSecond} a second: raise --rate`;
  }
  if (takesSeconds * NOTABLE_PART < retentionSeconds) return undefined;
  return `it takes ${formatDuration(takesSeconds)}, and letters are kept for ${formatDuration(retentionSeconds)}: some may expire before their turn`;
}

function keys({ plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  const takes = [
    ...(deadLetters.keyId === undefined ? [] : [`kms:Decrypt for ${deadLetters.keyId}`]),
    ...(destinationQueue?.keyId === undefined
      ? []
      : [`kms:GenerateDataKey and kms:Decrypt for ${destinationQueue.keyId}`]),
  ];
  if (takes.length === 0) return undefined;
  return `the queues are encrypted: whoever runs this needs ${takes.join(', and ')}`;
}

function larger({ plan: { deadLetters, destinationQueue } }: RiskView): string | undefined {
  if (!destinationQueue || destinationQueue.maximumMessageBytes >= deadLetters.maximumMessageBytes) return undefined;
  const { name, maximumMessageBytes } = destinationQueue;
  return `${name} takes messages of ${maximumMessageBytes} bytes at most: longer letters stay`;
}

function receivedAgain({ plan: { deadLetters, carrier } }: RiskView): string | undefined {
  const { deadLetterTargetArn, maxReceiveCount, name } = deadLetters;
  if (deadLetterTargetArn === undefined || carrier === 'task') return undefined;
  return `${name} has a dead-letter queue itself, ${displayNameOf(deadLetterTargetArn)}: each letter that stays has been received once more, and goes there after ${maxReceiveCount} times`;
}

function twice({ plan: { carrier, deadLetters } }: RiskView): string | undefined {
  if (carrier === 'task' || deadLetters.isFifo) return undefined;
  const done = carrier === 'copy' ? 'the queue has it' : 'Lambda has taken its event';
  const once = `a letter is deleted once ${done} for certain: where that breaks off in between, it goes a second time`;
  return `${once}. Nothing keeps a second run from moving letters beside this one, with a canary and a rate of its own`;
}

/** Each risk, the worst first. */
const RULES: readonly Rule[] = [
  { id: 'task-running', weight: 'blocks', says: taskRunning },
  { id: 'failures-nowhere', weight: 'danger', says: failuresNowhere },
  { id: 'redrive-watches', weight: 'danger', says: redriveWatches },
  { id: 'consumer-stopped', weight: 'danger', says: stopped },
  { id: 'comes-back-here', weight: 'danger', says: comesBackHere },
  { id: 'not-a-dead-letter-queue', weight: 'danger', says: notFed },
  { id: 'several-sources', weight: 'danger', says: severalSources },
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

/** All that could go wrong with a move, the worst first. */
export function risksOf(view: RiskView): readonly RedriveRisk[] {
  return RULES.flatMap(({ id, weight, says }) => {
    const text = says(view);
    return text === undefined ? [] : [{ id, weight, says: text }];
  });
}
