import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../../account/connection/connection';
import { queueNameOf } from '../../../account/connection/queue-name';
import { AccountReader, type Question } from '../../../account/inventory/account-reader';
import { readInventory } from '../../../account/inventory/read-inventory';
import { inStack } from '../../../account/inventory/stack-resources';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Finding } from '../../../diagnosis/checks/finding';
import { findingsAbout } from '../../../diagnosis/checks/findings-about';
import { deadLetterQueues, type FedQueue } from '../../../diagnosis/inventory/feeders';
import type { Inventory, QueueFacts } from '../../../diagnosis/inventory/inventory';
import { queueExpiry } from '../../../diagnosis/inventory/queue-expiry';
import { readQueueDepth } from '../../../lambda/redrive/queues';
import { listMoveTasks } from '../../../lambda/redrive/task-list';
import type { MoveFacts, QueueDepth } from '../../../policy/redrive/redrive-facts';
import { knownValue } from '../../../template/told';
import type { Progress } from '../../progress';
import { byUrgency, type ListedQueue, whereaboutsOf } from './listed-queue';
import { oldestMessages } from './oldest-letters';

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
