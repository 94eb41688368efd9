import type { Problem } from '../problem';
import type { PolicyLevel } from './content-type';
import {
  type DeliveryPolicySettings,
  type RetryPolicy,
  type TopicPolicySettings,
  withDefaults,
} from './delivery-policy';
import {
  attributePath,
  DOCUMENT_LAYOUTS,
  OVERRIDES_SWITCH,
  POLICY_ATTRIBUTES,
  POLICY_GROUPS,
  type PolicyGroup,
  type PolicyLayout,
  pathIn,
  SETTINGS_LAYOUTS,
} from './policy-layout';
import { type PolicyLimits, SNS_LIMITS } from './policy-limits';
import { type Members, readPolicy, type UnjudgedPolicy } from './policy-reading';
import { ATTRIBUTE_RULES, type Breach, isDemanded, RELATION_RULES, type RelationRule } from './policy-rules';

/** What a policy is judged by, besides itself. */
export interface PolicyContext {
  /**
   * Where the policy is attached.
   * @default 'subscription'
   */
  readonly level?: PolicyLevel;
  /**
   * Whether the subscription has raw message delivery.
   * @default false
   */
  readonly rawMessageDelivery?: boolean;
  /**
   * Attributes whose values are not known yet, by name, and `rawMessageDelivery` likewise. Every rule that would read one
   * is skipped.
   * @default - all values are known
   */
  readonly unresolvedMembers?: ReadonlySet<string>;
  /**
   * Whether a retry policy must spell out `minDelayTarget`, `maxDelayTarget` and `numRetries`. AWS's page gives them
   * defaults, but SNS has been seen to refuse a retry policy without them.
   * @default false
   */
  readonly demandMandatory?: boolean;
  /**
   * How far it may go.
   * @default SNS_LIMITS
   */
  readonly limits?: PolicyLimits;
}

/** A context with its defaults filled in, and the names of the form at hand. */
interface Bench {
  readonly layout: PolicyLayout;
  readonly level: PolicyLevel;
  readonly rawMessageDelivery: boolean;
  readonly unresolved: ReadonlySet<string>;
  readonly demandMandatory: boolean;
  readonly limits: PolicyLimits;
}

function benchFor(layouts: Readonly<Record<PolicyLevel, PolicyLayout>>, context: PolicyContext): Bench {
  const { level = 'subscription', rawMessageDelivery = false, unresolvedMembers = new Set() } = context;
  return {
    layout: layouts[level],
    level,
    rawMessageDelivery: rawMessageDelivery || unresolvedMembers.has('rawMessageDelivery'),
    unresolved: unresolvedMembers,
    demandMandatory: context.demandMandatory ?? false,
    limits: context.limits ?? SNS_LIMITS,
  };
}

function problemOf(path: string, breach: Breach, value: unknown): Problem {
  const { rule, awsText } = breach;
  return { property: path, rule, value, ...(awsText && { awsText: awsText(path) }) };
}

function attributeProblems(group: PolicyGroup, members: Members | undefined, bench: Bench): Problem[] {
  if (members === undefined) return [];
  return POLICY_ATTRIBUTES[group].flatMap(attribute => {
    if (bench.unresolved.has(attribute)) return [];
    const path = attributePath(bench.layout, group, attribute);
    const value = members[attribute];
    if (!(attribute in members)) {
      const isMissing = bench.demandMandatory && isDemanded(attribute);
      return isMissing ? [problemOf(path, { rule: 'must be specified' }, value)] : [];
    }
    const breach = ATTRIBUTE_RULES[attribute](value, bench);
    return breach ? [problemOf(path, breach, value)] : [];
  });
}

/** Whether `rule` can be judged: everything it reads is known and fit to be read. */
function isReady(rule: RelationRule, policy: RetryPolicy, bench: Bench): boolean {
  return rule.reads.every(attribute => {
    if (bench.unresolved.has(attribute)) return false;
    const isLawful = ATTRIBUTE_RULES[attribute](policy[attribute], bench) === undefined;
    return isLawful || (rule.needs === 'whole-numbers' && Number.isInteger(policy[attribute]));
  });
}

function relationProblems(members: Members, bench: Bench): Problem[] {
  const policy = withDefaults({ healthyRetryPolicy: members }).healthyRetryPolicy;
  const written = new Set(Object.keys(members));
  return RELATION_RULES.filter(rule => isReady(rule, policy, bench)).flatMap(rule => {
    const breach = rule.judge(policy, written, bench.limits);
    if (!breach) return [];
    const group = 'healthyRetryPolicy';
    if (breach.attribute === undefined) {
      return [problemOf(pathIn(bench.layout, bench.layout.groups[group]), breach, breach.value)];
    }
    const problem = problemOf(attributePath(bench.layout, group, breach.attribute), breach, breach.value);
    return [written.has(breach.attribute) ? problem : { ...problem, isDefault: true }];
  });
}

function switchProblems(policy: UnjudgedPolicy, bench: Bench): Problem[] {
  const value = policy[OVERRIDES_SWITCH];
  if (value === undefined || typeof value === 'boolean') return [];
  return [{ property: pathIn(bench.layout, OVERRIDES_SWITCH), rule: 'must be true or false', value }];
}

function judge(document: unknown, bench: Bench): Problem[] {
  const { policy, problems } = readPolicy(document, bench.layout, bench.unresolved);
  return [
    ...problems,
    ...POLICY_GROUPS.flatMap(group => attributeProblems(group, policy[group], bench)),
    ...(policy.healthyRetryPolicy ? relationProblems(policy.healthyRetryPolicy, bench) : []),
    ...switchProblems(policy, bench),
  ];
}

/**
 * Everything wrong with a delivery policy given as settings, judged after defaults. Properties are named by their plain
 * paths (`healthyRetryPolicy.numRetries`) at either level.
 */
export function policyProblems(
  settings: DeliveryPolicySettings | TopicPolicySettings,
  context: PolicyContext = {},
): Problem[] {
  return judge(settings, benchFor(SETTINGS_LAYOUTS, context));
}

/**
 * Everything wrong with a delivery policy in the JSON form of its level, judged after defaults. Properties are named as
 * the document has them (`http.defaultHealthyRetryPolicy.numRetries`).
 *
 * @param document what `JSON.parse` returned
 */
export function documentProblems(document: unknown, context: PolicyContext = {}): Problem[] {
  return judge(document, benchFor(DOCUMENT_LAYOUTS, context));
}
