import { displayNameOf } from '../../policy/arn';
import { errorIn, type StatusRecord } from '../../policy/messages/delivery-status';
import { classify } from '../../policy/outcome/classify';
import type { Outcome } from '../../policy/outcome/outcome';
import { PROTOCOLS, type Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import { type Access, letIn, mayAccess } from '../fixes/let-in';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import type { Diagnosis } from './cause';

export interface AnswerRule {
  /** @default - its fix never has calls */
  readonly id?: string;
  /** The error codes of a service. @default - any, or none */
  readonly codes?: readonly string[];
  /** A pattern for the error message. @default - any */
  readonly saying?: RegExp;
  /** The statuses of the answer, both ends included. @default - any, or none */
  readonly statuses?: readonly [from: number, to: number];
  diagnose(failed: FailedDelivery): Diagnosis;
}

function isMeant({ codes, saying, statuses }: AnswerRule, failed: FailedDelivery): boolean {
  const { errorCode = '', errorMessage = '', statusCode } = failed;
  if (codes && !codes.includes(errorCode)) return false;
  if (saying && !saying.test(errorMessage)) return false;
  return !statuses || (statusCode !== undefined && statusCode >= statuses[0] && statusCode <= statuses[1]);
}

function outcomeOf({ statusCode, errorCode, errorMessage }: FailedDelivery): Outcome {
  if (statusCode === undefined) return { kind: 'unanswered', failure: 'unreachable' };
  return {
    kind: 'answered',
    statusCode,
    ...(errorCode !== undefined && { errorCode }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

function otherwise(failed: FailedDelivery): Diagnosis {
  const { protocol, destination } = failed;
  const reason =
    protocol === undefined ? `it answered ${answerCode(failed)}` : classify(protocol, outcomeOf(failed)).reason;
  return { says: `SNS could not deliver to ${shortName(destination)}: ${reason}.` };
}

export function diagnosedBy(rules: readonly AnswerRule[], failed: FailedDelivery): Diagnosis {
  const rule = rules.find(it => isMeant(it, failed));
  return rule ? { ...rule.diagnose(failed), ...(rule.id !== undefined && { rule: rule.id }) } : otherwise(failed);
}

export interface FailedDelivery {
  readonly topicArn: string;
  /** The protocol of the subscription. @default - neither the subscription nor the destination shows it */
  readonly protocol?: Protocol;
  readonly destination: string;
  /** @default - the subscription no longer exists */
  readonly subscription?: SubscriptionFacts;
  /** Whether the endpoint has been subscribed again since then. @default false, or unknown */
  readonly isSubscribedAnew?: boolean;
  /** @default - the endpoint did not answer */
  readonly statusCode?: number;
  /** A service's error code: `KMS.AccessDeniedException`. @default - none */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly attempts?: number;
  readonly inventory: Inventory;
}

/** The protocol that an address implies; the first match counts. */
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

/** A short name for an endpoint: the host of a URL. */
export function shortName(address: string): string {
  if (URL.canParse(address) && /^https?:/i.test(address)) return new URL(address).host;
  return displayNameOf(address);
}

/** The fix for a refusal: nothing if the policies already allow it. */
export function fixAccess(access: Access): Fix {
  return mayAccess(access) === 'yes'
    ? { says: 'No fix is needed: the policy allows it by now. Redrive the messages.' }
    : letIn(access);
}
