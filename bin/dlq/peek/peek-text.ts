import { queueNameOf } from '../../../account/connection/queue-name';
import type { DecodedMessage } from '../../../policy/messages/decoded-letter';
import type { QueueAttribute } from '../../../policy/messages/queue-attributes';
import { counted, formatDuration, formatNumber, messagesText } from '../../../policy/wording';
import { aboutLines, foreignLines, foreignText, formatInstant } from '../../wording';
import type { Depths, Look } from '../letters/each-letter';
import { kindText } from '../letters/kind-text';
import { expiryOf } from '../letters/letter-expiry';
import { cutShortText } from '../letters/look-end';
import { ownRedrivePolicyOf } from '../letters/receive-guard';
import type { NamedQueue } from '../the-queue';

/** What was seen of a queue. */
export interface Peeked {
  readonly queue: NamedQueue;
  /** Before it was looked at. */
  readonly depths: Depths;
  readonly messages: readonly DecodedMessage[];
  readonly look: Look;
}

/** Our choice: a line or three of a terminal. */
const BODY_CHARACTERS = 240;
const SAID_CHARACTERS = 400;
const VALUE_CHARACTERS = 100;

const depthsText = ({ visible, inFlight, delayed }: Depths) =>
  `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed`;

/** To the minute, and how far that is. */
function instantText(atMs: number, nowMs: number): string {
  const distance = formatDuration(Math.round(Math.abs(nowMs - atMs) / 1_000));
  return `${formatInstant(atMs)}, ${atMs > nowMs ? `in ${distance}` : `${distance} ago`}`;
}

function receivesText({ receiveCount }: DecodedMessage['message'], queue: NamedQueue): string {
  const times = `${counted(receiveCount, 'time', 'times')}, this look included`;
  const policy = ownRedrivePolicyOf(queue);
  if (!policy) return times;
  const left = Math.max(policy.maxReceiveCount - receiveCount, 0);
  const target = queueNameOf(policy.deadLetterTargetArn);
  return `${times}; ${formatNumber(left)} left before it is moved to ${target}`;
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
    ['Said', ...[who, ...before].map(said => foreignText(kindText(said), SAID_CHARACTERS))],
    ...(attributeTexts.length > 0 ? [['Attributes', ...attributeTexts] as [string, ...string[]]] : []),
    ...bodyRows(decoded, isFull),
  ];
  return [`${at}. ${message.messageId}`, ...aboutLines(rows).map(line => `   ${line}`)].join('\n');
}

/** What of the queue was not seen, and why. */
function endText({ queue, messages, look: { unseen, end } }: Peeked): string {
  const { visible, inFlight, delayed } = unseen;
  const others = [
    ...(inFlight > 0 ? [`${messagesText(inFlight)} in flight elsewhere`] : []),
    ...(delayed > 0 ? [`${messagesText(delayed)} delayed`] : []),
  ];
  const notSeen = others.length > 0 ? ` Not seen: ${others.join(', ')}.` : '';
  const cutShort = cutShortText(end);
  if (cutShort !== undefined)
    return `${cutShort}: ${counted(messages.length, 'letter was', 'letters were')} seen.${notSeen}`;
  if (visible === 0) return messages.length === 0 ? `No letter is visible.${notSeen}` : `These are all.${notSeen}`;
  const behind = queue.isFifo ? ', some behind letters of their group that were looked at' : '';
  return `About ${messagesText(visible)} more, as SQS counts${behind}.${notSeen}`;
}

/** Letters, as an operator reads them. */
export function peekText(peeked: Peeked, isFull: boolean, nowMs: number): string {
  const { queue, depths, messages } = peeked;
  const heading = `${queue.name}: ${depthsText(depths)}`;
  const texts = messages.map((message, index) => messageText(message, index + 1, peeked, isFull, nowMs));
  return `${[heading, ...texts, endText(peeked)].join('\n\n')}\n`;
}
