import { type NotificationEnvelope, subscriptionArnOf } from '../../policy/messages/envelope';
import type { Headers } from '../../policy/relay/headers';

/** What the headers of a request are made of. */
export interface HeaderParts {
  readonly envelope: NotificationEnvelope;
  readonly contentType: string;
  readonly rawMessageDelivery: boolean;
  readonly headers: Headers;
  /** These win over `headers`, whatever the case of their names. */
  readonly secretHeaders?: Headers;
  readonly signature?: Headers;
}

const USER_AGENT = 'Dead Letter Office Relay';

/** Later headers win; names are the same in upper and lower case. Those before the last are none, as a rule. */
function merged(before: readonly Headers[], last: Headers): Record<string, string> {
  const all = before.filter(headers => Object.keys(headers).length > 0);
  if (all.length === 0) return { ...last };
  const byName = new Map<string, readonly [string, string]>();
  for (const headers of [...all, last]) {
    for (const [name, value] of Object.entries(headers)) byName.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(byName.values());
}

/**
 * The headers SNS would send, with the user's own and a signature.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-header.html
 */
export function requestHeaders(parts: HeaderParts): Record<string, string> {
  const { envelope, contentType, rawMessageDelivery, headers, secretHeaders, signature } = parts;
  const subscriptionArn = subscriptionArnOf(envelope);
  const own = {
    'Content-Type': contentType,
    'User-Agent': USER_AGENT,
    'x-amz-sns-message-type': envelope.Type,
    'x-amz-sns-message-id': envelope.MessageId,
    'x-amz-sns-topic-arn': envelope.TopicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(rawMessageDelivery && { 'x-amz-sns-rawdelivery': 'true' }),
  };
  return merged([headers, secretHeaders ?? {}], { ...own, ...signature });
}
