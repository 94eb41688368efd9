import { readArchive } from '../../../account/archive/archive-file';
import { deadLetterFeeders } from '../../../account/archive/purge';
import { type Connection, connected } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import { depthsIn, eachMessage, messagePorts } from '../../../account/messages/each-message';
import type { HeldMessage } from '../../../account/messages/message-hold';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import { counted, messagesText } from '../../../policy/format-text';
import type { Io } from '../../io';
import { confirmed, declined, warn, writeJson } from '../../print';
import { cleared } from '../../progress';
import type { DlqContext } from '../command';
import { interruptOf, lookProgress } from '../looking';
import type { PurgeOptions } from './command';
import { isUnsure, type PurgeOutcome, type PurgePlan, purgeDocument, purgeText } from './purge-text';

interface Purge extends PurgePlan {
  /** Of the letters in the export. */
  readonly ids: ReadonlySet<string>;
}

/** @throws BadInput where the export is not whole or not of this queue, or the queue is nobody's dead-letter queue */
async function planned(aws: Connection, queue: NamedQueue, file: string, io: Io): Promise<Purge> {
  const ids = new Set<string>();
  const archive = await readArchive(io, file, ({ messageId }) => void ids.add(messageId));
  const { queueArn } = archive.header;
  if (queueArn !== queue.arn) throw new BadInput([`${file} is an export of ${queueArn}, and not of ${queue.arn}`]);
  const feeders = await deadLetterFeeders(aws, queue);
  if (feeders.length > 0) return { queue, file, archive, feeders, ids };
  throw new BadInput([
    `${queue.name} is nobody's dead-letter queue, as far as this account and Region go: only dead letters are purged`,
  ]);
}

/**
 * What is deleted is lost: somebody has to say that they mean it.
 *
 * @throws BadInput where --confirm names another queue, or nobody can be asked
 */
async function isConfirmed({ queue: { name }, ids }: Purge, { confirm }: PurgeOptions, io: Io): Promise<boolean> {
  if (confirm !== undefined && confirm.trim() !== name) {
    throw new BadInput([`--confirm must be ${name}, got ${JSON.stringify(confirm)}: nothing has been deleted`]);
  }
  if (confirm !== undefined) return true;
  const answer = await confirmed(io, `Type ${name} to delete at most ${messagesText(ids.size)} for good: `, name);
  if (answer === 'nobody') throw new BadInput([`nobody sits before a terminal to be asked: add --confirm ${name}`]);
  return answer === 'yes';
}

async function carryOut(aws: Connection, { queue, ids }: Purge, world: DlqContext): Promise<PurgeOutcome> {
  const { io, nowMs } = world;
  const interrupt = interruptOf(io);
  const total = depthsIn(queue.attributes).visible;
  const progress = lookProgress(io, 'letters deleted or kept', total, nowMs);
  const reported = { deleted: 0, kept: 0, refused: 0 };
  const isExported = ({ messageId }: HeldMessage) => ids.has(messageId);
  const looking = { isOver: () => interrupt.isAsked, progress: progress.at };
  const ports = messagePorts(aws, queue, world, progress.clear);
  return cleared(progress, async () => {
    const look = await eachMessage(ports, looking, async (received, remover) => {
      const exported = received.filter(isExported);
      const { count, reason } = await remover.remove(exported);
      reported.deleted += exported.length - count;
      reported.refused += count;
      reported.kept += received.length - exported.length;
      if (count > 0) ports.warn(`${counted(count, 'letter was', 'letters were')} not deleted: ${reason}`);
    });
    return { ...reported, look };
  });
}

/**
 * `dlo dlq purge`.
 * @throws BadInput when there is no such queue, it is nobody's dead-letter queue, the file is no whole export of it, or its
 * name is not given
 * @throws Error when letters were not deleted, or not met though SQS has more, or it is interrupted
 */
export async function purgeMessages(name: string, options: PurgeOptions, world: DlqContext): Promise<void> {
  const { io } = world;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const purge = await planned(aws, queue, options.export, io);
    const isDeclined = options.execute === true && !(await isConfirmed(purge, options, io));
    const outcome = options.execute && !isDeclined ? await carryOut(aws, purge, world) : undefined;
    if (options.json) writeJson(io, purgeDocument(purge, outcome));
    else if (!isDeclined) io.stdout.write(purgeText(purge, outcome));
    if (isDeclined) throw declined('nothing has been deleted', queue.name);
    if (outcome?.look.end === 'interrupted') throw new Error('interrupted');
    if (outcome && outcome.refused > 0) throw new Error(`some letters of ${queue.name} were not deleted`);
    if (outcome && isUnsure(purge, outcome))
      throw new Error(`some letters of the export may still be in ${queue.name}, where others have them now`);
  });
}
