import { type Connection, connected } from '../../../account/connection/connection';
import { decodeMessage } from '../../../policy/messages/decode-letter';
import type { DecodedMessage } from '../../../policy/messages/decoded-letter';
import { warn, writeJson } from '../../print';
import { cleared } from '../../progress';
import type { DlqContext } from '../command';
import { depthsDocument, queueDocument } from '../documents';
import { depthsIn, eachMessage, messagePorts } from '../letters/each-letter';
import { interruptOf } from '../letters/interrupt';
import { messageDocument } from '../letters/letter-document';
import { lookProgress } from '../letters/look-progress';
import { checkReceives, readersOf, readersText } from '../letters/receive-guard';
import { type NamedQueue, queueNamed } from '../the-queue';
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
