import type { Problem } from '../problem';
import type { PolicyLevel } from './content-type';
import { type DeliveryPolicySettings, type TopicPolicySettings, withDefaults } from './delivery-policy';
import {
  DOCUMENT_LAYOUTS,
  OVERRIDES_SWITCH,
  POLICY_ATTRIBUTES,
  POLICY_GROUPS,
  type PolicyGroup,
} from './policy-layout';
import { documentProblems, type PolicyContext } from './policy-problems';
import { readPolicy, WHOLE_POLICY } from './policy-reading';
import { isDemanded } from './policy-rules';

/** A delivery policy in one of its two JSON forms. */
export type PolicyDocument = Readonly<Record<string, unknown>>;

/** What came of reading a document: the policy, or everything wrong with it. */
export type ParsedPolicy =
  | { readonly kind: 'policy'; readonly level: PolicyLevel; readonly settings: TopicPolicySettings }
  | { readonly kind: 'problems'; readonly level: PolicyLevel; readonly problems: readonly Problem[] };

/** The level whose form `document` has: only a topic's is wrapped in `http`. */
export function levelOf(document: unknown): PolicyLevel {
  return typeof document === 'object' && document !== null && 'http' in document ? 'topic' : 'subscription';
}

/**
 * Reads a delivery policy that `JSON.parse` returned.
 * @param context where it is attached; without a level, the document's own form tells
 */
export function readPolicyDocument(document: unknown, context: PolicyContext = {}): ParsedPolicy {
  const level = context.level ?? levelOf(document);
  const problems = documentProblems(document, { ...context, level });
  if (problems.length > 0) return { kind: 'problems', level, problems };
  const { policy } = readPolicy(document, DOCUMENT_LAYOUTS[level], new Set());
  return { kind: 'policy', level, settings: policy as TopicPolicySettings };
}

/**
 * Reads a delivery policy from the text of either JSON form.
 * @param context where it is attached; without a level, the document's own form tells
 */
export function parsePolicyDocument(text: string, context: PolicyContext = {}): ParsedPolicy {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const rule = `must be JSON (${error instanceof Error ? error.message : error})`;
    return {
      kind: 'problems',
      level: context.level ?? 'subscription',
      problems: [{ property: WHOLE_POLICY, rule, value: text }],
    };
  }
  return readPolicyDocument(document, context);
}

/** The members of one group in the order SNS shows them; the three SNS demands of a retry policy are filled in. */
function groupMembers(group: PolicyGroup, settings: DeliveryPolicySettings): PolicyDocument {
  const stated: Readonly<Record<string, unknown>> = { ...settings[group] };
  const filled: Readonly<Record<string, unknown>> = { ...withDefaults(settings)[group] };
  return Object.fromEntries(
    POLICY_ATTRIBUTES[group]
      .filter(attribute => stated[attribute] !== undefined || isDemanded(attribute))
      .map(attribute => [attribute, filled[attribute]]),
  );
}

function groupsOf(settings: DeliveryPolicySettings, level: PolicyLevel): PolicyDocument {
  const { groups } = DOCUMENT_LAYOUTS[level];
  return Object.fromEntries(
    POLICY_GROUPS.filter(group => settings[group] !== undefined).map(group => [
      groups[group],
      groupMembers(group, settings),
    ]),
  );
}

/**
 * The JSON form a subscription's `DeliveryPolicy` attribute takes. What was left out stays out, except for the three
 * attributes SNS has been seen to demand of a retry policy: those get their defaults.
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-sub-attributes-delivery-policy-json.html
 */
export function subscriptionPolicyDocument(settings: DeliveryPolicySettings): PolicyDocument {
  return groupsOf(settings, 'subscription');
}

/**
 * The JSON form a topic's `DeliveryPolicy` attribute takes; otherwise as `subscriptionPolicyDocument`.
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-topic-attributes-delivery-policy-json.html
 */
export function topicPolicyDocument(settings: TopicPolicySettings): PolicyDocument {
  const { disableSubscriptionOverrides } = settings;
  return {
    http: {
      ...groupsOf(settings, 'topic'),
      ...(disableSubscriptionOverrides !== undefined && { [OVERRIDES_SWITCH]: disableSubscriptionOverrides }),
    },
  };
}
