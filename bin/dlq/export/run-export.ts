import { ArchiveWriter, partOf } from '../../../account/archive/archive-file';
import { ARCHIVE_FORMAT, type ArchiveEnd, archivedMessage } from '../../../account/archive/archive-format';
import { type Connection, connected } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import { type Depths, depthsIn, eachMessage, type Look, messagePorts } from '../../../account/messages/each-message';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { checkReceives } from '../../../account/messages/receive-guard';
import { isoInstant } from '../../../local';
import { formatNumber, messagesText } from '../../../policy/format-text';
import { depthsDocument, queueDocument } from '../../documents';
import { warn, writeJson } from '../../print';
import { cleared } from '../../progress';
import type { DlqContext } from '../command';
import { cutShortText, interruptOf, lookProgress } from '../looking';
import type { ExportOptions } from './command';

/** Whether there is none beside those that were told. */
function isComplete({ end, unseen: { visible, inFlight, delayed } }: Look): boolean {
  return end === 'empty' && visible + inFlight + delayed === 0;
}

/** What SQS counts that is not in the file, and why. */
function unseenText({ isFifo }: NamedQueue, { unseen }: Look): string {
  const { visible, inFlight, delayed } = unseen;
  const behind = isFifo ? 'behind others of their group' : 'that it does not hand out';
  const parts = [
    ...(visible > 0 ? [`${formatNumber(visible)} visible ${behind}`] : []),
    ...(inFlight > 0 ? [`${formatNumber(inFlight)} in flight elsewhere`] : []),
    ...(delayed > 0 ? [`${formatNumber(delayed)} delayed`] : []),
  ];
  return parts.join(', ');
}

interface WrittenMessages {
  readonly look: Look;
  readonly end: ArchiveEnd;
}

interface Exported extends WrittenMessages {
  readonly queue: NamedQueue;
  readonly file: string;
  readonly before: Depths;
}

function exportedText({ queue, file, before, look, end }: Exported): string {
  const { visible, inFlight, delayed } = before;
  const counts = `SQS counted ${messagesText(visible + inFlight + delayed)} before`;
  const left = [unseenText(queue, look), cutShortText(look.end) ?? ''].filter(text => text !== '').join('; ');
  const whole = end.isComplete
    ? `${counts}, and none beside these after: the file has all of them.`
    : `${counts}. Not in the file, as it counts now: ${left}.`;
  return `${messagesText(end.messages)} of ${queue.name} in ${file}, SHA-256 ${end.sha256}.\n${whole}\n`;
}

/** Writes all letters there are; where that fails, or is interrupted, what is written stays under the name of a part. */
async function writeMessages(
  aws: Connection,
  queue: NamedQueue,
  file: string,
  world: DlqContext,
): Promise<WrittenMessages> {
  const { io, nowMs } = world;
  const interrupt = interruptOf(io);
  const archive = await ArchiveWriter.to(io, file);
  const total = depthsIn(queue.attributes).visible;
  const progress = lookProgress(io, 'letters written', total, nowMs);
  const looking = { isOver: () => interrupt.isAsked, progress: progress.at };
  try {
    return await cleared(progress, async () => {
      await archive.write([{ archive: { ...ARCHIVE_FORMAT, queueArn: queue.arn, exportedAt: isoInstant(nowMs()) } }]);
      const look = await eachMessage(messagePorts(aws, queue, world, progress.clear), looking, received =>
        archive.write(received.map(message => ({ message: archivedMessage(message) }))),
      );
      const { seen, unseen, end } = look;
      if (end === 'interrupted') throw new Error(`interrupted: ${messagesText(seen)} of ${queue.name} were written`);
      return { look, end: await archive.finish({ messages: seen, isComplete: isComplete(look), unseen }) };
    });
  } catch (error) {
    await archive.leave();
    warn(io, [`what was written so far is ${partOf(file)}, which is no whole export`]);
    throw error;
  }
}

/**
 * `dlo dlq export`.
 * @throws BadInput when there is no such queue, the file is there, or a look at the queue costs its letters much
 * @throws Error when the file has not all letters, or it is interrupted
 */
export async function exportMessages(
  name: string,
  file: string,
  { overwrite = false, force = false, json, ...options }: ExportOptions,
  world: DlqContext,
): Promise<void> {
  const { io } = world;
  if (!overwrite && (await io.exists(file))) {
    throw new BadInput([`${file} is there already; with --overwrite it is replaced`]);
  }
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, force));
    const before = depthsIn(queue.attributes);
    const { look, end } = await writeMessages(aws, queue, file, world);
    if (json) writeJson(io, { ...queueDocument(queue), file, depths: depthsDocument(before), ...end });
    else io.stdout.write(exportedText({ queue, file, before, look, end }));
    if (!end.isComplete) throw new Error(`${file} has not all letters of ${queue.name}`);
  });
}
