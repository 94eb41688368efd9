import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Progress } from '../../bin/progress';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import { type Finding, findingsAbout } from '../../diagnosis/checks/finding';
import { deadLetterQueues, type FedQueue } from '../../diagnosis/inventory/feeders';
import type { Inventory, QueueFacts } from '../../diagnosis/inventory/inventory';
import { type ExpirySpan, queueExpiry } from '../../diagnosis/inventory/queue-expiry';
import { type MetricPoint, type MetricQuery, MINUTE_MS, metricReader, minuteOf } from '../../mover/facts/metrics';
import { readQueueDepth } from '../../mover/facts/resource-state';
import { listMoveTasks } from '../../mover/move-tasks';
import { parseArn } from '../../policy/arn';
import { totalOf } from '../../policy/redrive/budget';
import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import { knownValue } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import { queueNameOf } from '../names';
import { AccountReader, type Question } from './account-reader';
import { readInventory } from './read-inventory';
import { inStack } from './stack-resources';

/** The dead-letter queues of a Region, and what could not be seen of them. */
export interface QueueList {
  readonly region: string;
  /** The most urgent first. */
  readonly queues: readonly ListedQueue[];
  /** In sentences. */
  readonly unseen: readonly string[];
}

const OF = ['dead-letter queue', 'dead-letter queues'] as const;
const DEPTH: Question = { action: 'sqs:GetQueueAttributes', of: OF, tells: 'the letters' };
const TASKS: Question = { action: 'sqs:ListMessageMoveTasks', of: OF, tells: 'the move tasks' };

const UNDER_WAY: readonly MoveFacts['status'][] = ['RUNNING', 'CANCELLING'];

/** What SQS tells of one queue at this moment. */
interface Now {
  readonly queue: QueueFacts;
  readonly depth?: QueueDepth;
  readonly moves: readonly MoveFacts[];
}

async function lookAtEach(reader: AccountReader, queues: readonly QueueFacts[]): Promise<ReadonlyMap<string, Now>> {
  const sqs = reader.aws.client(SQSClient);
  const looks = await reader.each(queues, async (queue): Promise<readonly [string, Now]> => {
    const { arn, name, url = '' } = queue;
    const depth = knownValue(await reader.ask(DEPTH, name, () => readQueueDepth(sqs, url)));
    const tasks = knownValue(await reader.ask(TASKS, name, () => listMoveTasks(sqs, arn))) ?? [];
    const moves = tasks.filter(({ status }) => UNDER_WAY.includes(status));
    return [arn, { queue, moves, ...(depth && { depth }) }];
  });
  reader.checkAll();
  return new Map(looks);
}

/** All that is told of an account's dead-letter queues, put together. */
class Lister {
  private readonly findings: readonly Finding[];

  constructor(
    private readonly inventory: Inventory,
    private readonly now: ReadonlyMap<string, Now>,
    private readonly heldSince: ReadonlyMap<string, number>,
    private readonly nowMs: number,
  ) {
    this.findings = checkInventory(inventory);
  }

  listed(fed: FedQueue): ListedQueue {
    const name = queueNameOf(fed.arn);
    const { depth, moves = [] } = this.now.get(fed.arn) ?? {};
    const heldSinceMs = depth && depth.visible + depth.inFlight > 0 ? this.heldSince.get(name) : undefined;
    const expiry = heldSinceMs === undefined ? undefined : queueExpiry(fed, heldSinceMs, this.nowMs);
    return {
      ...fed,
      name,
      whereabouts: whereaboutsOf(fed, this.inventory),
      ...(depth && { depth }),
      ...(heldSinceMs !== undefined && { heldSinceMs }),
      ...(expiry && { expiry }),
      moves,
      findings: findingsAbout(fed.arn, this.findings),
    };
  }
}

/**
 * Every dead-letter queue of the Region.
 *
 * @param stack only what it has, or what feeds from it @default - everything
 * @throws BadInput where there is no such stack
 */
export async function readList(
  aws: Connection,
  stack: string | undefined,
  progress: Pick<Progress, 'at'>,
  nowMs: () => number,
): Promise<QueueList> {
  const isIn = stack === undefined ? () => true : await inStack(aws, stack);
  const inventory = await readInventory(aws, { progress });
  const fed = deadLetterQueues(inventory).filter(
    ({ queue, feeders }) => (queue && isIn(queue)) || feeders.some(({ resource }) => isIn(resource)),
  );
  const reader = new AccountReader(aws);
  const there = fed.flatMap(({ queue }) => queue ?? []);
  const now = await lookAtEach(reader, there);
  const holding = [...now.values()].flatMap(({ queue, depth }) =>
    depth && depth.visible + depth.inFlight > 0 ? [queue.name] : [],
  );
  const atMs = nowMs();
  const lister = new Lister(inventory, now, await oldestMessages(aws, holding, atMs), atMs);
  return {
    region: aws.region,
    queues: fed.map(it => lister.listed(it)).sort(byUrgency),
    unseen: [...(inventory.unseen ?? []), ...reader.unseen],
  };
}

/** Whether a queue that is named for dead letters is there. */
export type Whereabouts =
  | { readonly kind: 'here' }
  /** What is sent there is lost. */
  | { readonly kind: 'gone' }
  /** Nobody can tell from here. */
  | { readonly kind: 'elsewhere'; readonly account: string; readonly region: string };

export function whereaboutsOf({ arn, queue }: FedQueue, inventory: Inventory): Whereabouts {
  if (queue) return { kind: 'here' };
  const { account = '', region = '' } = parseArn(arn) ?? {};
  const isHere = account === knownValue(inventory.account) && region === knownValue(inventory.region);
  return isHere ? { kind: 'gone' } : { kind: 'elsewhere', account, region };
}

/** A dead-letter queue, and all that is told of it. */
export interface ListedQueue extends FedQueue {
  readonly name: string;
  readonly whereabouts: Whereabouts;
  /** Undefined where it is not there, or may not be read. */
  readonly depth?: QueueDepth;
  /** Since when it has held its oldest letter. Undefined where it holds none, or CloudWatch has no figure. */
  readonly heldSinceMs?: number;
  /** When the first letter expires. */
  readonly expiry?: ExpirySpan;
  /** Move tasks that run, or are being cancelled. */
  readonly moves: readonly MoveFacts[];
  /** What is missing, so that letters are lost or nobody is told of them. */
  readonly findings: readonly Finding[];
}

/** All its letters, seen or not. */
export function messagesOf({ depth }: ListedQueue): number {
  return depth ? totalOf(depth) : 0;
}

/** Those with letters first, and of these the one whose first letter expires soonest; then by name. */
export function byUrgency(one: ListedQueue, other: ListedQueue): number {
  const [has, hasOther] = [one, other].map(it => messagesOf(it) > 0);
  if (has !== hasOther) return has ? -1 : 1;
  const [soon = Number.POSITIVE_INFINITY, soonOther = Number.POSITIVE_INFINITY] = [one, other].map(
    ({ expiry }) => expiry?.earliestMs,
  );
  if (soon !== soonOther) return soon < soonOther ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

/** How far back the newest figure of a queue may lie: it has one every minute, which comes up to 15 minutes late. */
const RECENT_MS = 20 * MINUTE_MS;

/** Of one request: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MOST_FIGURES = 500;

function ageOf(queueName: string): MetricQuery {
  return {
    namespace: 'AWS/SQS',
    name: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: queueName },
    statistic: 'Maximum',
  };
}

function heldSince({ atMs, value }: MetricPoint): number {
  return atMs - value * 1_000;
}

/**
 * Since when queues have held their oldest letters, by the queues' names. Those CloudWatch has no figure of are left out, and
 * those of which it has none but the zero of an empty queue: that is older than the letters. It takes the permission
 * `cloudwatch:GetMetricData`.
 */
export async function oldestMessages(
  aws: Connection,
  queueNames: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const read = metricReader(aws.client(CloudWatchClient));
  const oldest = new Map<string, number>();
  for (let from = 0; from < queueNames.length; from += MOST_FIGURES) {
    const names = queueNames.slice(from, from + MOST_FIGURES);
    const ages = await read(names.map(ageOf), minuteOf(nowMs - RECENT_MS), minuteOf(nowMs) + MINUTE_MS);
    for (const [index, name] of names.entries()) {
      const newest = ages[index]?.at(-1);
      if (newest && newest.value > 0) oldest.set(name, heldSince(newest));
    }
  }
  return oldest;
}
