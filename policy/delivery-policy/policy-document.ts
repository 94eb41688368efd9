import { isObject, type JsonObject } from '../json-members';
import type { Problem } from '../problem';
import {
  type DeliveryPolicySettings,
  type PolicyLevel,
  type RetryPolicy,
  type TopicPolicySettings,
  withDefaults,
} from './delivery-policy';
import {
  ATTRIBUTE_RULES,
  attributePath,
  type Breach,
  DOCUMENT_LAYOUTS,
  isDemanded,
  OVERRIDES_SWITCH,
  POLICY_ATTRIBUTES,
  POLICY_GROUPS,
  type PolicyGroup,
  type PolicyLayout,
  type PolicyLimits,
  pathIn,
  RELATION_RULES,
  type RelationRule,
  SETTINGS_LAYOUTS,
  SNS_LIMITS,
} from './policy-rules';

/** A delivery policy in one of its two JSON forms. */
type PolicyDocument = Readonly<Record<string, unknown>>;

/** The result of reading a document: the policy, or everything that is wrong with it. */
export type ParsedPolicy =
  | { readonly kind: 'policy'; readonly level: PolicyLevel; readonly settings: TopicPolicySettings }
  | { readonly kind: 'problems'; readonly level: PolicyLevel; readonly problems: readonly Problem[] };

/** The level whose form `document` has. Only a topic's policy is wrapped in `http`. */
export function levelOf(document: unknown): PolicyLevel {
  return typeof document === 'object' && document !== null && 'http' in document ? 'topic' : 'subscription';
}

/**
 * Reads a delivery policy from parsed JSON.
 * @param context where the policy is attached; without a level, the form of the document decides
 */
export function readPolicyDocument(document: unknown, context: PolicyContext = {}): ParsedPolicy {
  const level = context.level ?? levelOf(document);
  const problems = documentProblems(document, { ...context, level });
  if (problems.length > 0) return { kind: 'problems', level, problems };
  const { policy } = readPolicy(document, DOCUMENT_LAYOUTS[level], new Set());
  return { kind: 'policy', level, settings: policy as TopicPolicySettings };
}

/**
 * Reads a delivery policy from JSON text, in either form.
 * @param context where the policy is attached; without a level, the form of the document decides
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

/**
 * The members of one group, in the order SNS shows them. The three members that SNS demands of a retry policy get their
 * defaults.
 */
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
 * The JSON form of a subscription's `DeliveryPolicy` attribute. Members that were left out stay out, except the three
 * attributes without which SNS is known to reject a retry policy: those get their defaults.
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-sub-attributes-delivery-policy-json.html
 */
export function subscriptionPolicyDocument(settings: DeliveryPolicySettings): PolicyDocument {
  return groupsOf(settings, 'subscription');
}

/**
 * The JSON form of a topic's `DeliveryPolicy` attribute. It follows the rules of `subscriptionPolicyDocument`.
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
   * Names of attributes whose values are unresolved tokens. The set may also contain `rawMessageDelivery`. Rules that
   * need one of these values are skipped.
   * @default - all values are known
   */
  readonly unresolvedMembers?: ReadonlySet<string>;
  /**
   * Whether a retry policy must contain `minDelayTarget`, `maxDelayTarget` and `numRetries`.
   * **Assumption SNS-6:** AWS documents defaults for them, but SNS is known to reject a retry policy without them.
   * @default false
   */
  readonly demandMandatory?: boolean;
  /**
   * The limits of the policy.
   * @default SNS_LIMITS
   */
  readonly limits?: PolicyLimits;
}

/** A context with its defaults filled in, and the member names of the form that is validated. */
interface RuleInput {
  readonly layout: PolicyLayout;
  readonly level: PolicyLevel;
  readonly rawMessageDelivery: boolean;
  readonly unresolved: ReadonlySet<string>;
  readonly demandMandatory: boolean;
  readonly limits: PolicyLimits;
}

function ruleInput(layouts: Readonly<Record<PolicyLevel, PolicyLayout>>, context: PolicyContext): RuleInput {
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

function attributeProblems(group: PolicyGroup, members: PolicyMembers | undefined, input: RuleInput): Problem[] {
  if (members === undefined) return [];
  return POLICY_ATTRIBUTES[group].flatMap(attribute => {
    if (input.unresolved.has(attribute)) return [];
    const path = attributePath(input.layout, group, attribute);
    const value = members[attribute];
    if (!(attribute in members)) {
      const isMissing = input.demandMandatory && isDemanded(attribute);
      return isMissing ? [problemOf(path, { rule: 'must be specified' }, value)] : [];
    }
    const breach = ATTRIBUTE_RULES[attribute](value, input);
    return breach ? [problemOf(path, breach, value)] : [];
  });
}

/** Whether `rule` can be applied: everything it reads is known and valid on its own. */
function isReady(rule: RelationRule, policy: RetryPolicy, input: RuleInput): boolean {
  return rule.reads.every(attribute => {
    if (input.unresolved.has(attribute)) return false;
    const isLawful = ATTRIBUTE_RULES[attribute](policy[attribute], input) === undefined;
    return isLawful || (rule.needs === 'whole-numbers' && Number.isInteger(policy[attribute]));
  });
}

function relationProblems(members: PolicyMembers, input: RuleInput): Problem[] {
  const policy = withDefaults({ healthyRetryPolicy: members }).healthyRetryPolicy;
  const written = new Set(Object.keys(members));
  return RELATION_RULES.filter(rule => isReady(rule, policy, input)).flatMap(rule => {
    const breach = rule.judge(policy, written, input.limits);
    if (!breach) return [];
    const group = 'healthyRetryPolicy';
    if (breach.attribute === undefined) {
      return [problemOf(pathIn(input.layout, input.layout.groups[group]), breach, breach.value)];
    }
    const problem = problemOf(attributePath(input.layout, group, breach.attribute), breach, breach.value);
    return [written.has(breach.attribute) ? problem : { ...problem, isDefault: true }];
  });
}

function switchProblems(policy: UncheckedPolicy, input: RuleInput): Problem[] {
  const value = policy[OVERRIDES_SWITCH];
  if (value === undefined || typeof value === 'boolean') return [];
  return [{ property: pathIn(input.layout, OVERRIDES_SWITCH), rule: 'must be true or false', value }];
}

function problemsIn(document: unknown, input: RuleInput): Problem[] {
  const { policy, problems } = readPolicy(document, input.layout, input.unresolved);
  return [
    ...problems,
    ...POLICY_GROUPS.flatMap(group => attributeProblems(group, policy[group], input)),
    ...(policy.healthyRetryPolicy ? relationProblems(policy.healthyRetryPolicy, input) : []),
    ...switchProblems(policy, input),
  ];
}

/**
 * Returns everything that is wrong with a delivery policy given as settings, after filling in defaults. Properties have
 * their plain paths (`healthyRetryPolicy.numRetries`) at both levels.
 */
export function policyProblems(
  settings: DeliveryPolicySettings | TopicPolicySettings,
  context: PolicyContext = {},
): Problem[] {
  return problemsIn(settings, ruleInput(SETTINGS_LAYOUTS, context));
}

/**
 * Returns everything that is wrong with a delivery policy in the JSON form of its level, after filling in defaults.
 * Properties are named as in the document (`http.defaultHealthyRetryPolicy.numRetries`).
 *
 * @param document what `JSON.parse` returned
 */
export function documentProblems(document: unknown, context: PolicyContext = {}): Problem[] {
  return problemsIn(document, ruleInput(DOCUMENT_LAYOUTS, context));
}

type PolicyMembers = JsonObject;

/** A policy split into its groups. Their values have not been validated. */
interface UncheckedPolicy extends Readonly<Partial<Record<PolicyGroup, PolicyMembers>>> {
  readonly disableSubscriptionOverrides?: unknown;
}

/** A policy split into its groups, and everything that is wrong with its shape. */
interface PolicyReading {
  readonly policy: UncheckedPolicy;
  readonly problems: readonly Problem[];
}

/** The property that errors name when they are about the whole policy. */
export const WHOLE_POLICY = 'DeliveryPolicy';

/** One object of the policy: its path, and the members it may have. */
interface Place {
  /** Its own path, or `WHOLE_POLICY`. */
  readonly property: string;
  readonly layout: PolicyLayout;
  readonly known: readonly string[];
  /** Whether it may be empty, because some of its members are not known yet. */
  readonly mayBeEmpty: boolean;
}

function pathAt(place: Place, member: string): string {
  return place.property === WHOLE_POLICY ? member : `${place.property}.${member}`;
}

/** Where a member called `name` belongs in `layout`. It accepts the names of both forms, in any letter case. */
function placeOfMember(name: string, layout: PolicyLayout): string | undefined {
  const isMeant = (other: string) => other.toLowerCase() === name.toLowerCase();
  for (const group of POLICY_GROUPS) {
    const names = Object.values(DOCUMENT_LAYOUTS).map(({ groups }) => groups[group]);
    if (names.some(isMeant)) return pathIn(layout, layout.groups[group]);
    const attribute = POLICY_ATTRIBUTES[group].find(isMeant);
    if (attribute !== undefined) return attributePath(layout, group, attribute);
  }
  return layout.hasOverridesSwitch && isMeant(OVERRIDES_SWITCH) ? pathIn(layout, OVERRIDES_SWITCH) : undefined;
}

const TOPIC_ONLY: readonly string[] = [OVERRIDES_SWITCH, 'http'];

function ruleForUnknown(name: string, { layout, known }: Place): string {
  const home = placeOfMember(name, layout);
  if (home !== undefined) return `is not allowed here: it belongs at ${home}`;
  const list = known.join(', ');
  if (TOPIC_ONLY.includes(name) && !layout.hasOverridesSwitch) {
    return `belongs in a topic's delivery policy: a subscription's may have ${list}`;
  }
  return `is not known: allowed here are ${list}`;
}

function unknownMember(name: string, value: unknown, place: Place): Problem {
  return {
    property: pathAt(place, name),
    rule: ruleForUnknown(name, place),
    value,
    awsText: `Unexpected JSON member: ${name}`,
  };
}

/** The members of the object at `place` that have a value. Adds what is wrong with the object to `problems`. */
function membersAt(place: Place, value: unknown, problems: Problem[]): PolicyMembers {
  if (!isObject(value)) {
    problems.push({ property: place.property, rule: 'must be an object', value });
    return {};
  }
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  if (present.length === 0 && !place.mayBeEmpty) {
    problems.push({ property: place.property, rule: `must have at least one of ${place.known.join(', ')}`, value });
  }
  const isKnown = ([name]: [string, unknown]) =>
    place.known.includes(name) || Object.hasOwn(place.layout.obsoleteMembers, name);
  for (const [name, member] of present.filter(entry => !isKnown(entry))) {
    problems.push(unknownMember(name, member, place));
  }
  return Object.fromEntries(present);
}

function rootOf(document: unknown, layout: PolicyLayout, problems: Problem[]): unknown {
  if (layout.wrapper === undefined) return document;
  const place = { property: WHOLE_POLICY, layout, known: [layout.wrapper], mayBeEmpty: false };
  return membersAt(place, document, problems)[layout.wrapper];
}

function obsoleteMemberProblems(root: Place, members: PolicyMembers): Problem[] {
  const { obsoleteMembers } = root.layout;
  return Object.entries(members)
    .filter(([name, value]) => Object.hasOwn(obsoleteMembers, name) && value !== obsoleteMembers[name])
    .map(([name, value]) => ({
      property: pathAt(root, name),
      rule: 'is no longer used by SNS: remove it',
      value,
    }));
}

/**
 * Splits `document` into its groups by `layout`. Reports all unknown members at once, and does not validate the values.
 * A member that is `null` counts as left out, which is how SNS shows one.
 *
 * @param unresolved the members whose values are not known yet: objects that may contain one may be empty
 */
function readPolicy(document: unknown, layout: PolicyLayout, unresolved: ReadonlySet<string>): PolicyReading {
  const problems: Problem[] = [];
  const value = rootOf(document, layout, problems);
  if (value === undefined && layout.wrapper !== undefined) return { policy: {}, problems };
  const root: Place = {
    property: layout.wrapper ?? WHOLE_POLICY,
    layout,
    known: [
      ...POLICY_GROUPS.map(group => layout.groups[group]),
      ...(layout.hasOverridesSwitch ? [OVERRIDES_SWITCH] : []),
    ],
    mayBeEmpty: unresolved.size > 0,
  };
  const members = membersAt(root, value, problems);
  problems.push(...obsoleteMemberProblems(root, members));
  const policy: Record<string, unknown> = {};
  for (const group of POLICY_GROUPS) {
    const member = members[layout.groups[group]] ?? undefined;
    if (member === undefined) continue;
    const known = POLICY_ATTRIBUTES[group];
    const mayBeEmpty = known.some(attribute => unresolved.has(attribute));
    policy[group] = membersAt(
      { property: pathIn(layout, layout.groups[group]), layout, known, mayBeEmpty },
      member,
      problems,
    );
  }
  if (OVERRIDES_SWITCH in members) policy[OVERRIDES_SWITCH] = members[OVERRIDES_SWITCH];
  return { policy, problems };
}
