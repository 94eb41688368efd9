import { connected } from '../../../account/connection/connection';
import { depthsIn } from '../../../account/messages/each-message';
import { queueNamed } from '../../../account/messages/named-queue';
import { checkReceives, readersOf, readersText } from '../../../account/messages/receive-guard';
import { type DecodedMessage, decodeMessage } from '../../../policy/messages/decode-message';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import { depthsDocument, messageDocument, queueDocument } from '../../shared/json-documents';
import { warn, writeJson } from '../../shared/print';
import { lookAtMessages } from '../look-at-messages';
import { peekText } from './peek-text';

export interface PeekOptions extends CommandOptions {
  /** How many messages to look at. */
  readonly number: number;
  readonly full?: boolean;
  readonly force?: boolean;
}

/**
 * `dlo dlq peek`.
 * @throws BadInput when the queue does not exist, or receiving would move messages to another queue
 */
export async function peek(name: string, options: PeekOptions, context: CommandContext): Promise<void> {
  const { io, nowMs } = context;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    const warnings = checkReceives(queue, options.force);
    const readers = await readersOf(aws, queue);
    warn(io, [...warnings, ...readersText(queue, readers)]);
    const depths = depthsIn(queue.attributes);
    const messages: DecodedMessage[] = [];
    const looking = { what: 'messages received', max: options.number };
    const look = await lookAtMessages(aws, queue, context, looking, received => {
      messages.push(...received.map(decodeMessage));
    });
    if (options.json) {
      const { end, unseen } = look;
      writeJson(io, {
        ...queueDocument(queue),
        depths: depthsDocument(depths),
        end,
        unseen,
        readers,
        messages: messages.map(message => messageDocument(message, queue)),
      });
    } else io.stdout.write(peekText({ queue, depths, messages, look }, options.full ?? false, nowMs()));
  });
}
