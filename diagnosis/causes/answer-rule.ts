import { displayNameOf } from '../../policy/arn';
import { errorIn, type StatusRecord } from '../../policy/messages/delivery-status';
import { classify } from '../../policy/outcome/classify';
import type { Outcome } from '../../policy/outcome/outcome';
import { PROTOCOLS, type Protocol } from '../../policy/outcome/protocol';
import type { ServiceQuestion } from '../../template/access/access-question';
import { mayDo } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import type { Diagnosis } from './cause';

/** What an answer means, and what to do about it. */
export interface AnswerRule {
  /** The error a service names. @default - any, and none */
  readonly codes?: readonly string[];
  /** What it says of the error. @default - anything */
  readonly saying?: RegExp;
  /** The status of the answer, both ends included. @default - any, and none */
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

/** What SNS itself makes of an answer no rule is about. */
function otherwise(failed: FailedDelivery): Diagnosis {
  const { protocol, destination } = failed;
  const reason =
    protocol === undefined ? `it answered ${answerCode(failed)}` : classify(protocol, outcomeOf(failed)).reason;
  return { says: `SNS could not deliver to ${shortName(destination)}: ${reason}.` };
}

/** What the first rule that is about an answer makes of it. */
export function diagnosedBy(rules: readonly AnswerRule[], failed: FailedDelivery): Diagnosis {
  return (rules.find(rule => isMeant(rule, failed))?.diagnose ?? otherwise)(failed);
}

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

/** Whom something did not let in, and what lets it in. */
export interface MissingGrant {
  readonly question: ServiceQuestion;
  /** Of what did not let it in, as it is now. Undefined where it has none. */
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  readonly grant: Fix;
}

/** Lets whoever asks do what is asked, so that only a denial is left that could keep it from that. */
function withGrant({ question, policy }: MissingGrant): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const { service, action, resource } = question;
  const there = policy?.Statement ?? [];
  const granted = { Effect: 'Allow', Principal: { Service: service }, Action: action, Resource: resource };
  return { ...policy, Statement: [...(Array.isArray(there) ? there : [there]), granted] };
}

/**
 * What to do about a grant that was missing: nothing where it is there by now, and what no grant can do where a statement
 * denies it by name.
 */
export function fixAccess(missing: MissingGrant): Fix {
  const { question, policy, grant } = missing;
  if (mayDo(question, policy) === 'yes') {
    return { says: 'Nothing is left to mend: its policy allows it by now. Send the letters home.' };
  }
  if (mayDo(question, withGrant(missing)) === 'no') {
    return {
      says: `A statement of its policy denies ${question.action} to ${question.service} by name: that must go.`,
    };
  }
  return grant;
}
