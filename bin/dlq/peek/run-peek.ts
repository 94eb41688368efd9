import { type Connection, connected } from '../../../account/connection/connection';
import { depthsIn, eachMessage, messagePorts } from '../../../account/messages/each-message';
import { type NamedQueue, queueNamed } from '../../../account/messages/named-queue';
import { checkReceives, readersOf, readersText } from '../../../account/messages/receive-guard';
import { type DecodedMessage, decodeMessage } from '../../../policy/messages/decode-message';
import { depthsDocument, messageDocument, queueDocument } from '../../documents';
import { warn, writeJson } from '../../print';
import { cleared } from '../../progress';
import type { DlqContext } from '../command';
import { interruptOf, lookProgress } from '../looking';
import type { PeekOptions } from './command';
import { peekText } from './peek-text';

async function seen(aws: Connection, queue: NamedQueue, most: number, world: DlqContext) {
  const { io, nowMs } = world;
  const messages: DecodedMessage[] = [];
  const total = Math.min(most, depthsIn(queue.attributes).visible);
  const progress = lookProgress(io, 'letters received', total, nowMs);
  const interrupt = interruptOf(io);
  const looking = { most, isOver: () => interrupt.isAsked, progress: progress.at };
  return cleared(progress, async () => {
    const look = await eachMessage(messagePorts(aws, queue, world, progress.clear), looking, received => {
      messages.push(...received.map(decodeMessage));
    });
    return { messages, look };
  });
}

/**
 * `dlo dlq peek`.
 * @throws BadInput when there is no such queue, or a look at it costs its letters much
 */
export async function peek(name: string, options: PeekOptions, world: DlqContext): Promise<void> {
  const { io, nowMs } = world;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const warnings = checkReceives(queue, options.force);
    const readers = await readersOf(aws, queue);
    warn(io, [...warnings, ...readersText(queue, readers)]);
    const depths = depthsIn(queue.attributes);
    const { messages, look } = await seen(aws, queue, options.number, world);
    if (options.json) {
      const { end, unseen } = look;
      const documents = messages.map(message => messageDocument(message, queue));
      writeJson(io, {
        ...queueDocument(queue),
        depths: depthsDocument(depths),
        end,
        unseen,
        readers,
        messages: documents,
      });
    } else io.stdout.write(peekText({ queue, depths, messages, look }, options.full ?? false, nowMs()));
  });
}
