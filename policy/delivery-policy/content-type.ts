import { DEFAULT_CONTENT_TYPE } from './delivery-policy';

/** Where a delivery policy is attached. */
export type PolicyLevel = 'subscription' | 'topic';

/** What an enveloped notification, or a topic's policy, may name: the envelope is JSON. */
export const ENVELOPED_CONTENT_TYPES: readonly string[] = ['application/json', 'text/plain'];

/** What a subscription with raw message delivery may name: its body is whatever was published. */
export const RAW_CONTENT_TYPES: readonly string[] = [
  'application/atom+xml',
  'application/json',
  'application/octet-stream',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
];

/**
 * The values `headerContentType` may have. A topic's policy serves raw and enveloped subscriptions alike, so it may name
 * only what both may.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function allowedContentTypes(level: PolicyLevel, rawMessageDelivery: boolean): readonly string[] {
  return level === 'subscription' && rawMessageDelivery ? RAW_CONTENT_TYPES : ENVELOPED_CONTENT_TYPES;
}

/**
 * Whether `contentType` may be named. The default SNS itself sends is taken too: AWS's list leaves it out, but every
 * effective policy AWS shows carries it, and such a policy must read back.
 */
export function isAllowedContentType(contentType: string, level: PolicyLevel, rawMessageDelivery: boolean): boolean {
  return contentType === DEFAULT_CONTENT_TYPE || allowedContentTypes(level, rawMessageDelivery).includes(contentType);
}
