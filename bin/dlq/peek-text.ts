import type { LookResult, MessageCounts } from '../../account/messages/each-message';
import { expiryOf, type NamedQueue } from '../../account/messages/named-queue';
import { ownRedrivePolicyOf } from '../../account/messages/receive-guard';
import { reportText } from '../../account/messages/report-words';
import { queueNameOf } from '../../account/names';
import { counted, formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { DecodedMessage } from '../../policy/messages/decode-message';
import type { QueueAttribute } from '../../policy/messages/queue-attributes';
import { aboutLines, foreignLines, foreignText } from '../shared/terminal-text';
import { cutShortText } from './look-at-messages';

/** What `dlo dlq peek` shows. */
export interface Peeked {
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

/** An instant, and how long ago it was or will be. */
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
export function peekText(peeked: Peeked, isFull: boolean, nowMs: number): string {
  const { queue, depths, messages } = peeked;
  const heading = `${queue.name}: ${depthsText(depths)}`;
  const texts = messages.map((message, index) => messageText(message, index + 1, peeked, isFull, nowMs));
  return `${[heading, ...texts, endText(peeked)].join('\n\n')}\n`;
}
