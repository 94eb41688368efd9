import type { LookResult, MessageCounts } from '../../account/messages/each-message';
import { expiryOf, type NamedQueue } from '../../account/messages/named-queue';
import { ownRedrivePolicyOf } from '../../account/messages/receive-guard';
import { queueNameOf } from '../../account/names';
import { displayNameOf } from '../../policy/arn';
import { counted, formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { DecodedKind, DecodedMessage } from '../../policy/messages/decode-message';
import { subscriptionArnOf } from '../../policy/messages/envelope';
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
    ['Source', ...[who, ...before].map(said => foreignText(kindText(said), SAID_CHARACTERS))],
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

type Of<Kind extends DecodedKind['kind']> = Extract<DecodedKind, { readonly kind: Kind }>;

type Texts = { readonly [Kind in DecodedKind['kind']]: (said: Of<Kind>) => string };

function notificationText({ envelope }: Of<'notification'>): string {
  const { MessageId, TopicArn, Timestamp } = envelope;
  const subscription = subscriptionArnOf(envelope)?.split(':').at(-1);
  const whose = subscription === undefined ? '' : `, for its subscription ${subscription}`;
  return `SNS: notification ${MessageId} of topic ${displayNameOf(TopicArn)}, published ${Timestamp}${whose}`;
}

function recordText({
  functionArn,
  condition,
  error,
  statusCode,
  invokeCount,
  batch,
}: Of<'invocation-record'>): string {
  const source = batch?.sourceArn === undefined ? '' : ` of ${batch.sourceArn}`;
  const what = batch ? `${counted(batch.records ?? 0, 'record', 'records')}${source}` : 'an event';
  const times = invokeCount === undefined ? '' : ` after ${counted(invokeCount, 'invocation', 'invocations')}`;
  const how = error ?? (statusCode === undefined || statusCode === 200 ? '' : `status ${statusCode}`);
  const end = how === '' ? '' : `: ${how}`;
  return `Lambda: ${displayNameOf(functionArn)} gave up on ${what} (${condition})${times}${end}`;
}

function undeliveredText(said: Of<'undelivered-event'>): string {
  const { by, byArn, targetArn, errorCode, errorMessage, exhausted, retries, isTruncated } = said;
  const service = by === 'rule' ? 'EventBridge: rule' : 'EventBridge Scheduler: schedule';
  const name = displayNameOf(byArn ?? '');
  const to = targetArn === undefined ? '' : ` to ${targetArn}`;
  const tried = retries === undefined ? '' : `, after ${counted(retries, 'retry', 'retries')}`;
  const spent = exhausted === undefined ? '' : ` (${exhausted})`;
  const cut = isTruncated ? '; the body has only the beginning of the input' : '';
  return `${service} ${name} could not deliver${to}${tried}${spent}: ${errorCode}: ${errorMessage}${cut}`;
}

function relayedText(said: Of<'relayed'>): string {
  const { cause, reason, destination, statusCode, attemptsSpent, deadLetteredAtMs } = said;
  const status = statusCode === undefined ? '' : `, last response ${statusCode}`;
  const spent = attemptsSpent === undefined ? '' : ` after ${counted(attemptsSpent, 'attempt', 'attempts')}`;
  const at = deadLetteredAtMs === undefined ? '' : ` ${formatInstant(deadLetteredAtMs)}`;
  return `relay to ${destination} gave up on it${at}${spent}${status} (${cause}): ${reason}`;
}

const TEXTS: Texts = {
  notification: notificationText,
  'function-event': ({ errorCode, errorMessage, requestId }) =>
    `Lambda: the function failed on request ${requestId}, status ${errorCode}: ${errorMessage}`,
  'invocation-record': recordText,
  'undelivered-event': undeliveredText,
  relayed: relayedText,
  quarantined: ({ cause, reason, fromArn }) =>
    `a redrive moved it to quarantine${fromArn === undefined ? '' : ` from ${displayNameOf(fromArn)}`} (${cause}): ${reason}`,
  plain: () => 'unknown: a plain message',
};

/** Describes what wrote a message, and why. It can contain unchecked text of others. */
function kindText(said: DecodedKind): string {
  // TypeScript cannot relate the entry of the table to the kind of the message.
  const text = TEXTS[said.kind] as (said: DecodedKind) => string;
  return text(said);
}
