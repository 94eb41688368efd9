import { Command } from 'commander';
import { depthsDocument, messageDocument, queueDocument } from '../../account/documents/json-documents';
import { depthsIn } from '../../account/messages/each-message';
import { queueNamed } from '../../account/messages/named-queue';
import { checkReceives, readersOf, readersText } from '../../account/messages/receive-guard';
import { QUEUE_NAMED_READS } from '../../account/permissions';
import { type DecodedMessage, decodeMessage } from '../../policy/messages/decode-message';
import { knownValue } from '../../template/maybe-known';
import {
  addConnectionOptions,
  type CommandContext,
  type CommandOptions,
  countOf,
  EXIT_CODES,
} from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import { warn, writeJson } from '../shared/print';
import { withAws } from '../shared/with-aws';
import { lookAtMessages } from './look-at-messages';
import { peekText } from './peek-text';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from './redact-option';

export const PEEK_PERMISSIONS: CommandPermissions = {
  command: 'dlq peek',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'lambda:ListEventSourceMappings'],
  keys: { reads: ['kms:Decrypt'] },
};

/** Fits on a screen or two. */
const NUMBER = 10;

const HELP = `
QUEUE is a name, ARN or URL. Each message is hidden from other consumers for a moment, its receive count rises by one, and
it is given back. Messages in flight elsewhere are not shown. Of a FIFO queue, at most ten messages of a group are shown.

If the queue itself has a redrive policy, each look brings its messages nearer to another dead-letter queue. If SQS moves
them after ten receives or fewer, the command refuses, unless --force is given.

${REDACT_HELP}

  dlo dlq peek orders-dlq
  dlo dlq peek orders-dlq --redact card.number --redact "customers[*].email"
  dlo dlq peek orders-dlq -n 1 --full
  dlo dlq peek orders-dlq -n 100 --json | jq -r '.messages[].payload'

${permissionsText(PEEK_PERMISSIONS)}

${EXIT_CODES}`;

/** `dlo dlq peek`. */
export function peekCommand(context: CommandContext): Command {
  return addRedactOption(addConnectionOptions(new Command('peek')))
    .description('show messages of a queue: what they are, what sent them and why, when they expire')
    .argument('QUEUE', 'its name, ARN or URL')
    .option('-n, --number <count>', 'how many messages', countOf, NUMBER)
    .option('--full', 'print whole bodies, unchanged')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: PeekOptions) => peek(queue, options, context));
}

interface PeekOptions extends CommandOptions, RedactOptions {
  /** How many messages to look at. */
  readonly number: number;
  readonly full?: boolean;
  readonly force?: boolean;
}

/**
 * `dlo dlq peek`.
 * @throws BadInput when the queue does not exist, or receiving would move messages to another queue
 */
async function peek(name: string, options: PeekOptions, context: CommandContext): Promise<void> {
  const { io, nowMs } = context;
  const redaction = redactionOf(options);
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    const warnings = checkReceives(queue, options.force);
    const readers = knownValue(await readersOf(aws, queue));
    warn(io, [...warnings, ...readersText(queue, readers ?? [])]);
    const depths = depthsIn(queue.attributes);
    const decoded: DecodedMessage[] = [];
    const looking = { what: 'messages received', max: options.number };
    const look = await lookAtMessages(aws, queue, context, looking, received => {
      decoded.push(...received.map(message => decodeMessage(redaction.message(message))));
    });
    const messages = redaction.everywhere(decoded);
    if (options.json) {
      const { end, unseen } = look;
      writeJson(io, {
        ...queueDocument(queue),
        depths: depthsDocument(depths),
        end,
        unseen,
        readers: readers ?? null,
        messages: messages.map(message => messageDocument(message, queue)),
      });
    } else io.stdout.write(peekText({ queue, depths, messages, look }, options.full ?? false, nowMs()));
  });
}
