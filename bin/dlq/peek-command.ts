import type { Command } from 'commander';
import { depthsDocument, messageDocument, queueDocument } from '../../account/documents/json-documents';
import { depthsIn, type LookResult, type MessageCounts } from '../../account/messages/each-message';
import { expiryOf, type NamedQueue, queueNamed } from '../../account/messages/named-queue';
import { checkReceives, ownRedrivePolicyOf, readersOf, readersText } from '../../account/messages/receive-guard';
import { reportText } from '../../account/messages/report-words';
import { queueNameOf } from '../../account/names';
import { QUEUE_NAMED_READS } from '../../account/permissions';
import { counted, formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import { type DecodedMessage, decodeMessage } from '../../policy/messages/decode-message';
import type { QueueAttribute } from '../../policy/messages/queue-attributes';
import { knownValue } from '../../template/maybe-known';
import { type CommandContext, type CommandOptions, countOf } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import { warn, writeJson } from '../shared/print';
import { aboutLines, foreignLines, foreignText } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import { cutShortText, lookAtMessages } from './look-at-messages';
import { queueCommand } from './queue-command';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from './redact-option';

/** What `dlo dlq peek` shows. */
interface Peeked {
  readonly queue: NamedQueue;
  /** Before the messages were received. */
  readonly depths: MessageCounts;
  readonly messages: readonly DecodedMessage[];
  readonly look: LookResult;
}

/** How many characters of a body are shown: they fill up to three lines of a terminal. */
const BODY_CHARACTERS = 240;
const SAID_CHARACTERS = 400;
const VALUE_CHARACTERS = 100;

const depthsText = ({ visible, inFlight, delayed }: MessageCounts) =>
  `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed`;

function instantText(atMs: number, nowMs: number): string {
  const distance = formatDuration(Math.round(Math.abs(nowMs - atMs) / 1_000));
  return `${formatInstant(atMs)}, ${atMs > nowMs ? `in ${distance}` : `${distance} ago`}`;
}

function receivesText({ receiveCount }: DecodedMessage['message'], queue: NamedQueue): string {
  const times = `${counted(receiveCount, 'time', 'times')}, including this look`;
  const policy = ownRedrivePolicyOf(queue);
  if (!policy) return times;
  const left = Math.max(policy.maxReceiveCount - receiveCount, 0);
  const target = queueNameOf(policy.deadLetterTargetArn);
  return `${times}; ${formatNumber(left)} left before SQS moves it to ${target}`;
}

function attributeText([name, { DataType, StringValue, BinaryValue }]: readonly [string, QueueAttribute]): string {
  const value = StringValue ?? `${formatNumber(BinaryValue?.byteLength ?? 0)} bytes`;
  const type = DataType === 'String' ? '' : ` (${DataType})`;
  return foreignText(`${name}=${foreignText(value, VALUE_CHARACTERS)}${type}`, SAID_CHARACTERS);
}

function bodyRows({ message, payload }: DecodedMessage, isFull: boolean): readonly [string, ...string[]][] {
  const rest = payload === message.body ? 'Body' : 'Message';
  if (isFull) return [['Body', ...foreignLines(message.body)]];
  return [[rest, foreignText(payload, BODY_CHARACTERS)]];
}

function messageText(decoded: DecodedMessage, at: number, { queue }: Peeked, isFull: boolean, nowMs: number): string {
  const { message, who, before } = decoded;
  const { movedFromArn, groupId, deduplicationId, traceHeader, attributes } = message;
  const expiry = expiryOf(message, queue);
  const row = (about: string, text: string | undefined): [string, string][] =>
    text === undefined ? [] : [[about, foreignText(text, SAID_CHARACTERS)]];
  const attributeTexts = Object.entries(attributes).map(attributeText);
  const rows: (readonly [string, ...string[]])[] = [
    ['First sent', instantText(message.sentAtMs, nowMs)],
    ['Expires', `${expiry.mayBeLater ? 'no sooner than ' : ''}${instantText(expiry.atMs, nowMs)}`],
    ['Received', receivesText(message, queue)],
    ...row(
      'Moved from',
      movedFromArn === undefined ? undefined : `${queueNameOf(movedFromArn)}, by its redrive policy`,
    ),
    ...row('Group', groupId),
    ...row('Deduplication', deduplicationId),
    ...row('Trace', traceHeader),
    ['Source', ...[who, ...before].map(said => foreignText(reportText(said), SAID_CHARACTERS))],
    ...(attributeTexts.length > 0 ? [['Attributes', ...attributeTexts] as [string, ...string[]]] : []),
    ...bodyRows(decoded, isFull),
  ];
  return [`${at}. ${message.messageId}`, ...aboutLines(rows).map(line => `   ${line}`)].join('\n');
}

/** Which messages were not shown, and why. */
function endText({ queue, messages, look: { unseen, end } }: Peeked): string {
  const { visible, inFlight, delayed } = unseen;
  const others = [
    ...(inFlight > 0 ? [`${messagesText(inFlight)} in flight elsewhere`] : []),
    ...(delayed > 0 ? [`${messagesText(delayed)} delayed`] : []),
  ];
  const notSeen = others.length > 0 ? ` Not shown: ${others.join(', ')}.` : '';
  const cutShort = cutShortText(end);
  if (cutShort !== undefined)
    return `${cutShort}: ${counted(messages.length, 'message is', 'messages are')} shown.${notSeen}`;
  if (visible === 0) return messages.length === 0 ? `No message is visible.${notSeen}` : `These are all.${notSeen}`;
  const behind = queue.isFifo ? ', some of them behind shown messages of their group' : '';
  return `About ${messagesText(visible)} more, as SQS counts${behind}.${notSeen}`;
}

/** Describes messages to an operator. */
function peekText(peeked: Peeked, isFull: boolean, nowMs: number): string {
  const { queue, depths, messages } = peeked;
  const heading = `${queue.name}: ${depthsText(depths)}`;
  const texts = messages.map((message, index) => messageText(message, index + 1, peeked, isFull, nowMs));
  return `${[heading, ...texts, endText(peeked)].join('\n\n')}\n`;
}

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
  dlo dlq peek orders-dlq -n 100 --json | jq -r '.messages[].payload'`;

/** `dlo dlq peek`. */
export function peekCommand(context: CommandContext): Command {
  const does = 'show messages of a queue: what they are, what sent them and why, when they expire';
  return addRedactOption(queueCommand(PEEK_PERMISSIONS, does, HELP))
    .option('-n, --number <count>', 'how many messages', countOf, NUMBER)
    .option('--full', 'print whole bodies, unchanged')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
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
