import { displayNameOf } from '../../../policy/arn';
import type { DecodedKind } from '../../../policy/messages/decoded-letter';
import { subscriptionArnOf } from '../../../policy/messages/envelope';
import { counted } from '../../../policy/wording';
import { formatInstant } from '../../wording';

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
  return `Lambda: ${displayNameOf(functionArn)} gave up ${what} (${condition})${times}${end}`;
}

function undeliveredText(said: Of<'undelivered-event'>): string {
  const { by, byArn, targetArn, errorCode, errorMessage, exhausted, retries, isTruncated } = said;
  const service = by === 'rule' ? 'EventBridge: rule' : 'EventBridge Scheduler: schedule';
  const name = displayNameOf(byArn ?? '');
  const to = targetArn === undefined ? '' : ` to ${targetArn}`;
  const tried = retries === undefined ? '' : `, tried ${counted(retries, 'time', 'times')} again`;
  const spent = exhausted === undefined ? '' : ` (${exhausted})`;
  const cut = isTruncated ? '; the body is only the beginning of the input' : '';
  return `${service} ${name} could not deliver${to}${tried}${spent}: ${errorCode}: ${errorMessage}${cut}`;
}

function relayedText(said: Of<'relayed'>): string {
  const { cause, reason, destination, statusCode, attemptsSpent, deadLetteredAtMs } = said;
  const status = statusCode === undefined ? '' : `, last answer ${statusCode}`;
  const spent = attemptsSpent === undefined ? '' : ` after ${counted(attemptsSpent, 'attempt', 'attempts')}`;
  const at = deadLetteredAtMs === undefined ? '' : ` ${formatInstant(deadLetteredAtMs)}`;
  return `relay to ${destination} gave it up${at}${spent}${status} (${cause}): ${reason}`;
}

const TEXTS: Texts = {
  notification: notificationText,
  'function-event': ({ errorCode, errorMessage, requestId }) =>
    `Lambda: the function did not take request ${requestId}, status ${errorCode}: ${errorMessage}`,
  'invocation-record': recordText,
  'undelivered-event': undeliveredText,
  relayed: relayedText,
  quarantined: ({ cause, reason, fromArn }) =>
    `redrive put it into quarantine${fromArn === undefined ? '' : ` from ${displayNameOf(fromArn)}`} (${cause}): ${reason}`,
  plain: () => 'nobody says',
};

/** Who speaks of a letter, and what they say: foreign text is in it, as it came. */
export function kindText(said: DecodedKind): string {
  // A table over a union: each entry takes what has its kind.
  const text = TEXTS[said.kind] as (said: DecodedKind) => string;
  return text(said);
}
