import { SQSClient } from '@aws-sdk/client-sqs';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import { type Finding, findingsAbout } from '../../diagnosis/checks/finding';
import { deadLetterQueues, type FedQueue, unfedQueues } from '../../diagnosis/inventory/feeders';
import { type Inventory, mayLack, type QueueFacts, type Resource } from '../../diagnosis/inventory/inventory';
import { fleetOfDeadLetters } from '../../diagnosis/inventory/look-ups';
import { byUrgency, type ExpirySpan, queueExpiry, type UrgencyFacts } from '../../diagnosis/inventory/queue-expiry';
import { listMoveTasks } from '../../mover/aws/move-tasks';
import { parseArn } from '../../policy/arn';
import { totalOf } from '../../policy/redrive/budget';
import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import { isKnown, knownValue, type MaybeKnown, mapKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { Question, UnreadCalls } from '../connection/unread-calls';
import { queueNameOf } from '../names';
import type { ProgressListener } from '../ports';
import { AccountReader } from './account-reader';
import { growthOf, type QueueHistory, readHistories } from './queue-history';
import { readInventory } from './read-inventory';
import { inStack } from './stack-resources';

/** The dead-letter queues of a Region, and what could not be read of them. */
export interface QueueList {
  readonly region: string;
  /** @default - unknown */
  readonly account?: string;
  /** Most urgent first. */
  readonly queues: readonly ListedQueue[];
  /** Whether a queue may be missing, or a feeder of a queue, because it could not be read. */
  readonly mayLackFeeders: boolean;
  /** Whether it is unknown which dead letters no alarm reports, because the alarms or the readers could not be read. */
  readonly mayLackFindings: boolean;
  /** What could not be read. */
  readonly unknowns: Pick<UnreadCalls, 'all' | 'texts'>;
  /** What could not be read, in sentences. */
  readonly unseen: readonly string[];
}

const TASKS: Question = {
  action: 'sqs:ListMessageMoveTasks',
  of: ['dead-letter queue', 'dead-letter queues'],
  tells: 'the move tasks',
};

const HISTORIES: Question = { action: 'cloudwatch:GetMetricData', tells: 'the age and the growth of the queues' };

const UNDER_WAY: readonly MoveFacts['status'][] = ['RUNNING', 'CANCELLING'];

type Moves = MaybeKnown<readonly MoveFacts[]>;

/** Reads the move tasks that run or are being cancelled, by the ARN of the queue. */
async function readMoves(reader: AccountReader, queues: readonly QueueFacts[]): Promise<ReadonlyMap<string, Moves>> {
  const sqs = reader.aws.client(SQSClient);
  const looks = await reader.each(queues, async ({ arn, name }): Promise<readonly [string, Moves]> => {
    const tasks = await reader.ask(TASKS, name, () => listMoveTasks(sqs, arn));
    return [arn, mapKnown(tasks, all => all.filter(({ status }) => UNDER_WAY.includes(status)))];
  });
  return new Map(looks);
}

/** Combines the facts about dead-letter queues. */
class Lister {
  constructor(
    private readonly inventory: Inventory,
    private readonly findings: readonly Finding[],
    private readonly moves: ReadonlyMap<string, Moves>,
    private readonly histories: MaybeKnown<ReadonlyMap<string, QueueHistory>>,
    private readonly nowMs: number,
  ) {}

  listed(fed: FedQueue): ListedQueue {
    const name = queueNameOf(fed.arn);
    const depth = fed.queue?.depth && knownValue(fed.queue.depth);
    const history = depth && knownValue(this.histories)?.get(name);
    const heldSinceMs = history?.heldSinceMs;
    const growth = history && growthOf(history, heldBy(depth), this.nowMs);
    const fleet = fleetOfDeadLetters(fed.arn, this.inventory);
    const expiry = heldSinceMs === undefined ? undefined : queueExpiry(fed, heldSinceMs, this.nowMs);
    return {
      ...fed,
      name,
      location: locationOf(fed, this.inventory),
      ...(depth && { depth }),
      ...(heldSinceMs !== undefined && { heldSinceMs }),
      ...(growth !== undefined && { growth }),
      ...(expiry && { expiry }),
      ...(fleet && { fleetName: fleet.name }),
      moves: this.moves.get(fed.arn) ?? [],
      findings: findingsAbout(fed.arn, this.findings),
    };
  }
}

/**
 * Reads every dead-letter queue of the Region, and the queues that hold messages and look like one although nothing feeds
 * them any more.
 *
 * @param stack reads only queues that are in the stack or fed by a resource of it. @default - all
 * @throws BadInput when the stack does not exist
 */
export async function readList(
  aws: Connection,
  stack: string | undefined,
  progress: ProgressListener,
  nowMs: () => number,
): Promise<QueueList> {
  const isIn = stack === undefined ? () => true : await inStack(aws, stack);
  const inventory = await readInventory(aws, { progress, needsQueues: true, purpose: 'list' });
  return listOf(aws, { inventory, findings: checkInventory(inventory), isIn, histories: readHistories, nowMs });
}

export interface ListInput {
  /** With the depths of its queues. */
  readonly inventory: Inventory;
  readonly findings: readonly Finding[];
  /** @default - all resources */
  readonly isIn?: (resource: Resource) => boolean;
  readonly histories: typeof readHistories;
  readonly nowMs: () => number;
}

/** Lists the dead-letter queues of an inventory, and reads what changes from minute to minute. */
export async function listOf(aws: Connection, input: ListInput): Promise<QueueList> {
  const { inventory, findings, isIn = () => true, histories: read, nowMs } = input;
  // Without all feeders, it is unknown whether a queue has none.
  const unfed = mayLack(inventory, 'feeders') ? [] : unfedQueues(inventory);
  const fed = [...deadLetterQueues(inventory), ...unfed].filter(
    ({ queue, feeders }) => (queue && isIn(queue)) || feeders.some(({ resource }) => isIn(resource)),
  );
  const reader = new AccountReader(aws);
  const there = fed.flatMap(({ queue }) => queue ?? []);
  const holding = there.flatMap(({ name, depth }) => {
    const known = depth && knownValue(depth);
    return known && heldBy(known) > 0 ? [name] : [];
  });
  const atMs = nowMs();
  const [moves, histories] = await Promise.all([
    readMoves(reader, there),
    aws.unread.read(HISTORIES, undefined, () => read(aws, holding, atMs)),
  ]);
  const lister = new Lister(inventory, findings, moves, histories, atMs);
  const queues = fed.map(it => lister.listed(it)).filter(it => it.feeders.length > 0 || messagesOf(it) > 0);
  const account = knownValue(inventory.account);
  return {
    region: aws.region,
    ...(account !== undefined && { account }),
    queues: mostUrgentFirst(queues, atMs),
    mayLackFeeders: mayLack(inventory, 'feeders'),
    mayLackFindings: mayLack(inventory, 'alarms', 'mappings', 'queueUsers'),
    unknowns: aws.unread,
    unseen: reader.unseen,
  };
}

export type QueueLocation =
  | { readonly kind: 'here' }
  /** It does not exist: messages sent to it are lost. */
  | { readonly kind: 'gone' }
  /** It may exist: the list of queues could not be read to its end. */
  | { readonly kind: 'unknown' }
  /** It is in another account or Region, and cannot be read. */
  | { readonly kind: 'elsewhere'; readonly account: string; readonly region: string };

export function locationOf({ arn, queue }: FedQueue, inventory: Inventory): QueueLocation {
  if (queue) return { kind: 'here' };
  const { account = '', region = '' } = parseArn(arn) ?? {};
  const isHere = account === knownValue(inventory.account) && region === knownValue(inventory.region);
  if (!isKnown(inventory.account) || (isHere && mayLack(inventory, 'queues'))) return { kind: 'unknown' };
  return isHere ? { kind: 'gone' } : { kind: 'elsewhere', account, region };
}

export interface ListedQueue extends FedQueue {
  readonly name: string;
  readonly location: QueueLocation;
  /** The fleet whose dead letters it has. @default - none */
  readonly fleetName?: string;
  /** Undefined when it does not exist, or cannot be read. */
  readonly depth?: QueueDepth;
  /** Since when it has held its oldest message. Undefined when it is empty, or CloudWatch has no data. */
  readonly heldSinceMs?: number;
  /** When the first message expires. */
  readonly expiry?: ExpirySpan;
  /** By how many messages it grew in the last 30 minutes. Undefined when it is empty, or CloudWatch has no data. */
  readonly growth?: number;
  /** Move tasks that run or are being cancelled. */
  readonly moves: Moves;
  /** Findings about the queue: what loses messages, or fails without an alarm. */
  readonly findings: readonly Finding[];
}

export function messagesOf({ depth }: ListedQueue): number {
  return depth ? totalOf(depth) : 0;
}

export function urgencyFactsOf(queue: ListedQueue): UrgencyFacts {
  const { depth, expiry, growth } = queue;
  const messages = depth && messagesOf(queue);
  return { messages, ...(expiry && { expiry }), ...(growth !== undefined && { growth }) };
}

/** Sorts queues by urgency, then by name. */
export function mostUrgentFirst(queues: readonly ListedQueue[], nowMs: number): readonly ListedQueue[] {
  return [...queues].sort(
    (one, other) => byUrgency(urgencyFactsOf(one), urgencyFactsOf(other), nowMs) || (one.name < other.name ? -1 : 1),
  );
}

/** The messages of which CloudWatch knows an age: it does not count delayed ones. */
function heldBy({ visible, inFlight }: QueueDepth): number {
  return visible + inFlight;
}
