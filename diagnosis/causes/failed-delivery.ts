import { displayNameOf } from '../../policy/arn';
import { errorIn, type StatusRecord } from '../../policy/messages/status-record';
import { PROTOCOLS, type Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/told';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';

/** A delivery SNS gave up. */
export interface FailedDelivery {
  readonly topicArn: string;
  /** Of the subscription. @default - neither it nor the destination tells */
  readonly protocol?: Protocol;
  readonly destination: string;
  /** @default - it is not there any more */
  readonly subscription?: SubscriptionFacts;
  /** Whether the endpoint was subscribed anew since. @default false, or nobody tells */
  readonly isSubscribedAnew?: boolean;
  /** @default - no answer came */
  readonly statusCode?: number;
  /** As a service names it: `KMS.AccessDeniedException`. @default - it names none */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly attempts?: number;
  readonly inventory: Inventory;
}

/** What an address says of itself, the first match first. */
const BY_ADDRESS: readonly (readonly [RegExp, Protocol])[] = [
  [/^arn:[^:]+:sqs:/, 'sqs'],
  [/^arn:[^:]+:lambda:/, 'lambda'],
  [/^arn:[^:]+:firehose:/, 'firehose'],
  [/^arn:[^:]+:sns:.*:endpoint\//, 'application'],
  [/^https:/i, 'https'],
  [/^http:/i, 'http'],
];

function subscriptionTo(
  topicArn: string,
  endpoint: string,
  { subscriptions }: Inventory,
): SubscriptionFacts | undefined {
  return subscriptions.find(it => knownValue(it.topicArn) === topicArn && knownValue(it.endpoint) === endpoint);
}

export function protocolOf(endpoint: string, subscription?: SubscriptionFacts): Protocol | undefined {
  const stated = PROTOCOLS.find(it => it === subscription?.protocol);
  return stated ?? BY_ADDRESS.find(([pattern]) => pattern.test(endpoint))?.[1];
}

export function failedDeliveryOf(record: StatusRecord, topicArn: string, inventory: Inventory): FailedDelivery {
  const { destination, statusCode, attempts } = record.delivery;
  const subscription = subscriptionTo(topicArn, destination, inventory);
  const protocol = protocolOf(destination, subscription);
  const { code, message } = errorIn(record);
  return {
    topicArn,
    destination,
    inventory,
    ...(protocol && { protocol }),
    ...(subscription && { subscription }),
    ...(statusCode !== undefined && { statusCode }),
    ...(code !== undefined && { errorCode: code }),
    ...(message !== undefined && { errorMessage: message }),
    ...(attempts !== undefined && { attempts }),
  };
}

/** `403 AccessDenied`, `503`, `no answer`. */
export function answerCode({ statusCode, errorCode }: FailedDelivery): string {
  const parts = [statusCode, errorCode].filter(part => part !== undefined);
  return parts.length === 0 ? 'no answer' : parts.join(' ');
}

/** What an endpoint is called: of a URL the host. */
export function shortName(address: string): string {
  if (URL.canParse(address) && /^https?:/i.test(address)) return new URL(address).host;
  return displayNameOf(address);
}
