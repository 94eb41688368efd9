import { displayNameOf } from '../../policy/arn';
import { isGivenUpByFleet } from '../../policy/fleet/dead-letter-cause';
import { counted } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import type { DecodedKind } from '../../policy/messages/decode-message';
import { subscriptionArnOf } from '../../policy/messages/envelope';

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
  const who = isGivenUpByFleet(cause, destination) ? `fleet, for ${destination},` : `relay to ${destination}`;
  return `${who} gave up on it${at}${spent}${status} (${cause}): ${reason}`;
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
export function reportText(said: DecodedKind): string {
  // TypeScript cannot relate the entry of the table to the kind of the message.
  const text = TEXTS[said.kind] as (said: DecodedKind) => string;
  return text(said);
}
