import { feedersOf } from '../../diagnosis/inventory/feeders';
import { mayLack } from '../../diagnosis/inventory/inventory';
import { counted } from '../../policy/format-text';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { AccountReader } from '../inventory/account-reader';
import { listSourceQueues } from '../inventory/queues';
import { readPartialInventory } from '../inventory/read-inventory';
import type { LookResult, Remover } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';
import type { NamedQueue } from '../messages/named-queue';
import { queueNameOf } from '../names';
import type { Files } from '../ports';
import { type Archive, checkWhole, readArchive } from './archive-file';

export interface PurgePlan {
  readonly queue: NamedQueue;
  readonly file: string;
  readonly archive: Archive;
  readonly ids: ReadonlySet<string>;
  /** What sends dead letters to the queue: `subscription orders to work`. Unknown if it could not be read. */
  readonly feeders: MaybeKnown<readonly string[]>;
}

export interface PurgeOutcome {
  readonly deleted: number;
  /** Messages that were seen but are not in the export. */
  readonly kept: number;
  /** Messages that SQS refused to delete. */
  readonly refused: number;
  /** Messages that SQS may have deleted: it sent no answer, or a server error. */
  readonly unsure: number;
  readonly look: LookResult;
}

/** Plans a purge. Nothing is received. */
export async function planPurge(aws: Connection, queue: NamedQueue, file: string, files: Files): Promise<PurgePlan> {
  const ids = new Set<string>();
  const archive = await readArchive(files, file, ({ messageId }) => void ids.add(messageId));
  checkWhole(file, archive);
  const { queueArn } = archive.header;
  if (queueArn !== queue.arn) throw new BadInput([`${file} is an export of ${queueArn}, not of ${queue.arn}`]);
  const feeders = await deadLetterFeeders(aws, queue);
  if (!isKnown(feeders) || feeders.length > 0) return { queue, file, archive, feeders, ids };
  throw new BadInput([
    `only dead-letter queues can be purged, but nothing in this account and Region uses ${queue.name} as one`,
  ]);
}

/**
 * Deletes the messages of a queue that are in the export, and keeps all others.
 * @param look visits the messages of the queue
 * @param onFailure is called before an error is thrown, with what was done until then
 */
export async function carryOutPurge(
  { ids }: PurgePlan,
  look: (
    visit: (messages: readonly HeldMessage[], remover: Remover, ports: { warn(text: string): void }) => Promise<void>,
  ) => Promise<LookResult>,
  onFailure: (counts: Omit<PurgeOutcome, 'look'>) => void,
): Promise<PurgeOutcome> {
  const counts = { deleted: 0, kept: 0, refused: 0, unsure: 0 };
  try {
    const result = await look(async (received, remover, ports) => {
      const exported = received.filter(({ messageId }) => ids.has(messageId));
      const { count, unsure, reason, error } = await remover.remove(exported);
      counts.deleted += exported.length - count - unsure;
      counts.refused += count;
      counts.unsure += unsure;
      counts.kept += received.length - exported.length;
      if (error !== undefined) throw error;
      if (count > 0) ports.warn(`${counted(count, 'message was', 'messages were')} not deleted: ${reason}`);
      if (unsure > 0) ports.warn(`${counted(unsure, 'message', 'messages')} may have been deleted: ${reason}`);
    });
    return { ...counts, look: result };
  } catch (error) {
    onFailure(counts);
    throw error;
  }
}

/**
 * Describes what uses a queue as its dead-letter queue. It asks SQS for source queues first, which is one call. Only when there
 * are none it reads every resource that can. It needs the permission `sqs:ListDeadLetterSourceQueues`, and then `FEEDER_READS`.
 */
async function deadLetterFeeders(aws: Connection, { url, arn }: NamedQueue): Promise<MaybeKnown<readonly string[]>> {
  const sources = knownValue(await listSourceQueues(new AccountReader(aws), url)) ?? [];
  if (sources.length > 0) return sources.map(source => `queue ${queueNameOf(source)}`);
  const { inventory } = await readPartialInventory(aws, url, { at: () => {} });
  const feeders = feedersOf(arn, inventory);
  if (feeders.length === 0 && mayLack(inventory, 'feeders')) return { unknownBecause: 'could not be read' };
  return feeders.map(({ kind, resource }) => `${kind} ${resource.name}`);
}
