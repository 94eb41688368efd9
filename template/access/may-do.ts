import { parseArn } from '../../policy/arn';
import { isObject, type JsonObject, listOfOneOrMore } from '../../policy/json-members';
import { isKnown, type MaybeKnown } from '../maybe-known';
import { hasStandIn, isAccountStandIn } from '../stand-in';
import { type RequestKeys, type RoleQuestion, roleKeys, type ServiceQuestion, serviceKeys } from './access-question';
import type { PolicyDocument } from './policy-document';
import {
  type Answer,
  allOf,
  answer,
  anyMatches,
  anyOf,
  isEqual,
  isLike,
  isLikeArn,
  opposite,
  type TextMatch,
} from './text-matching';

/** The policy of a resource; undefined if it has none. */
type Policy = MaybeKnown<PolicyDocument | undefined>;

const UNKNOWN: PrincipalAnswers = { itself: 'unknown', account: 'unknown' };
const NO: PrincipalAnswers = { itself: 'no', account: 'no' };

function apply(policy: Policy, kind: PolicyKind, effect: 'Allow' | 'Deny', request: Request): PrincipalAnswers {
  if (!isKnown(policy)) return UNKNOWN;
  return policy === undefined ? NO : statementsApply(policy, kind, effect, request);
}

/** Whether a statement allows the request and none denies it. */
function unlessDenied(allowed: Answer, denied: readonly PrincipalAnswers[]): Answer {
  return allOf([allowed, ...denied.flatMap(({ itself, account }) => [opposite(itself), opposite(account)])]);
}

/**
 * Whether a service may do something that only a resource policy can allow: that of a queue, topic, key or function.
 * `unknown` if it depends on an unknown value, or on a condition key whose value AWS does not publish
 * (assumption IAM-8).
 *
 * @param policy of the resource, or why it is not known
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function mayDo(question: ServiceQuestion, policy: Policy): Answer {
  const request = requestOf(question);
  const { itself } = apply(policy, 'resource', 'Allow', request);
  return unlessDenied(itself, [apply(policy, 'resource', 'Deny', request)]);
}

interface RolePolicies {
  readonly identity: MaybeKnown<readonly PolicyDocument[]>;
  /** The resource's policy; undefined if it has none. */
  readonly resource: Policy;
  /** The role's permissions boundary. @default - none */
  readonly boundary?: Policy;
}

/** A role's own policies count for a KMS key only if the key policy delegates to the account. */
const MUST_DELEGATE = /^kms:/i;

/**
 * Whether a role may do something. Within an account, the role's policies or the resource policy can allow it; across
 * accounts, both must. The permissions boundary must allow it too. Organization policies are not considered, so `yes`
 * means only that these policies allow it.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function roleMayDo(question: RoleQuestion, policies: RolePolicies): Answer {
  const { identity, resource: resourcePolicy, boundary } = policies;
  const { roleArn, action, resource } = question;
  const isLimited = boundary === undefined ? 'no' : isKnown(boundary) ? 'yes' : 'unknown';
  const request = requestOf({ isLimited, ...question });
  const own: readonly Policy[] = isKnown(identity) ? identity : [identity];
  const byRole = anyOf(own.map(policy => apply(policy, 'identity', 'Allow', request).itself));
  const byResource = apply(resourcePolicy, 'resource', 'Allow', request);
  const byAccount = anyOf([byResource.itself, byResource.account]);
  const within = MUST_DELEGATE.test(action)
    ? anyOf([byResource.itself, allOf([byResource.account, byRole])])
    : anyOf([byRole, byResource.itself]);
  const isOwn = sameAccount(roleArn, resource);
  const across = allOf([byRole, byAccount]);
  const allowed = isOwn === 'yes' || within === across ? within : isOwn === 'no' ? across : 'unknown';
  const denied = [
    ...own.map(policy => apply(policy, 'identity', 'Deny', request)),
    apply(resourcePolicy, 'resource', 'Deny', request),
  ];
  const past = allOf([isOwn, bySession(resourcePolicy, request)]);
  return anyOf([
    allOf([unlessDenied(allowed, denied), withinBoundary(question, boundary)]),
    unlessDenied(past, [...denied, apply(boundary, 'boundary', 'Deny', request)]),
  ]);
}

/**
 * Whether the policy of a resource allows the request to the session of the role itself. A permissions boundary does not limit
 * that. It is unknown what it means for a statement about everyone without `aws:PrincipalArn` (assumption IAM-11).
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-denyallow.html
 */
function bySession(policy: Policy, request: Request): Answer {
  if (!isKnown(policy)) return 'unknown';
  const each = listOfOneOrMore(policy?.Statement ?? []).map((it): Answer => {
    const { Principal: named, Condition: block } = isObject(it) ? it : {};
    const names = isObject(named) ? listOfOneOrMore(named['AWS'] ?? []) : [named];
    const isAboutRole = names.every(name => name !== '*' && parseArn(String(name))?.service !== 'sts');
    if (isAboutRole) return 'no';
    const keys = comparisonsIn(block, request.keys).map(({ key }) => key.toLowerCase());
    const isDirect: Answer = names.includes('*') && keys.includes('aws:principalarn') ? 'yes' : 'unknown';
    return allOf([isDirect, applies(it, 'resource', 'Allow', request).itself]);
  });
  return anyOf(each);
}

/**
 * Whether a permissions boundary lets a role do something that other policies allow. It grants nothing itself.
 *
 * @param boundary undefined if the role has none
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
 */
export function withinBoundary(question: RoleQuestion, boundary: Policy): Answer {
  if (boundary === undefined) return 'yes';
  const request = requestOf(question);
  const { itself } = apply(boundary, 'boundary', 'Allow', request);
  return unlessDenied(itself, [apply(boundary, 'boundary', 'Deny', request)]);
}

function sameAccount(roleArn: string, resource: string): Answer {
  const [own, other] = [parseArn(roleArn)?.account, parseArn(resource)?.account];
  return own && other ? isEqual(own, other) : 'unknown';
}

interface Request {
  readonly asker: Caller;
  readonly action: string;
  readonly resource: string;
  readonly keys: RequestKeys;
}

function requestOf(question: ServiceQuestion | RoleQuestion): Request {
  const { action, resource } = question;
  if ('roleArn' in question) {
    const { roleArn, isLimited = 'no' } = question;
    return { asker: { roleArn, isLimited }, action, resource, keys: roleKeys(question) };
  }
  const { service, isOnlyPrincipal = false } = question;
  return { asker: { service, isOnlyPrincipal }, action, resource, keys: serviceKeys(question) };
}

/** A Deny that applies to a request, or depends on condition keys whose values are unknown. */
export interface Denial {
  readonly statement: JsonObject;
  /** From 0. */
  readonly position: number;
  /** The condition keys on which it depends. Empty if it certainly applies. */
  readonly dependsOn: readonly string[];
}

/**
 * The Deny statements that keep a request out, or may because of a condition key. Left out are those of which it is
 * unknown whether they are about this request: a principal or a value that only the deployment knows.
 */
export function denialsIn(
  policy: Policy,
  kind: PolicyKind,
  question: ServiceQuestion | RoleQuestion,
): readonly Denial[] {
  if (!isKnown(policy) || policy === undefined) return [];
  const request = requestOf(question);
  return listOfOneOrMore(policy.Statement).flatMap((statement, position): Denial[] => {
    if (!isObject(statement) || statement['Effect'] !== 'Deny') return [];
    const { itself, account } = applies({ ...statement, Condition: undefined }, kind, 'Deny', request);
    if (anyOf([itself, account]) !== 'yes') return [];
    const comparisons = comparisonsIn(statement['Condition'], request.keys);
    const met = allOf(comparisons.map(it => it.answer));
    const open = comparisons.filter(it => it.answer === 'unknown');
    if (met === 'no' || open.some(it => isLeftToDeployment(it, request.keys))) return [];
    return [{ statement, position, dependsOn: [...new Set(open.map(({ key }) => key))] }];
  });
}

function isLeftToDeployment({ key, wanted }: Comparison, keys: RequestKeys): boolean {
  return (
    Object.hasOwn(keys, key.toLowerCase()) && !asTexts(wanted).every(it => typeof it === 'string' && !hasStandIn(it))
  );
}

/**
 * Where the policy is attached. A policy of an identity, or its permissions boundary, applies to its owner; a policy of
 * a resource names its principals.
 */
export type PolicyKind = 'identity' | 'boundary' | 'resource';

type Effect = 'Allow' | 'Deny';

const isLikeAction: TextMatch = (wanted, actual) => isLike(wanted.toLowerCase(), actual.toLowerCase());

const OWNER: PrincipalAnswers = { itself: 'yes', account: 'no' };

function statementsApply(
  document: PolicyDocument,
  kind: PolicyKind,
  effect: Effect,
  request: Request,
): PrincipalAnswers {
  const each = listOfOneOrMore(document.Statement).map(it => applies(it, kind, effect, request));
  return { itself: anyOf(each.map(it => it.itself)), account: anyOf(each.map(it => it.account)) };
}

function applies(statement: unknown, kind: PolicyKind, wanted: Effect, request: Request): PrincipalAnswers {
  if (!isObject(statement)) return { itself: 'unknown', account: 'unknown' };
  const { asker, action, resource, keys } = request;
  const rest = [
    hasEffect(statement['Effect'], wanted),
    elementMatches(statement['Action'], statement['NotAction'], action, isLikeAction),
    elementMatches(statement['Resource'], statement['NotResource'], resource, isLike),
    conditionsHold(statement['Condition'], keys),
  ];
  const who = kind === 'resource' ? principalsMatch(statement, asker, wanted) : OWNER;
  return { itself: allOf([who.itself, ...rest]), account: allOf([who.account, ...rest]) };
}

function hasEffect(effect: unknown, wanted: Effect): Answer {
  if (effect === wanted) return 'yes';
  return effect === 'Allow' || effect === 'Deny' ? 'no' : 'unknown';
}

function elementMatches(element: unknown, negation: unknown, actual: string, match: TextMatch): Answer {
  if (element !== undefined) return anyMatches(element, actual, match);
  return negation === undefined ? 'unknown' : opposite(anyMatches(negation, actual, match));
}

/** How a statement's principals match the caller: they name it or everyone; or they only name its account. */
interface PrincipalAnswers {
  readonly itself: Answer;
  /** `no` for a service, which belongs to no account. */
  readonly account: Answer;
}

type ServiceCaller = { readonly service: string; readonly isOnlyPrincipal: boolean };
type Caller = ServiceCaller | { readonly roleArn: string; readonly isLimited: Answer };

const UNKNOWN_PRINCIPALS: PrincipalAnswers = { itself: 'unknown', account: 'unknown' };
const NO_PRINCIPAL: PrincipalAnswers = { itself: 'no', account: 'no' };
const EVERYONE: PrincipalAnswers = { itself: 'yes', account: 'no' };

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html */
function principalsNamed(element: unknown, asker: Caller): PrincipalAnswers {
  if (element === '*') return EVERYONE;
  if (!isObject(element)) return UNKNOWN_PRINCIPALS;
  const entries = Object.entries(element).flatMap(([kind, value]) =>
    listOfOneOrMore(value).map(it => (typeof it === 'string' ? entryNames(kind, it, asker) : UNKNOWN_PRINCIPALS)),
  );
  return { itself: anyOf(entries.map(it => it.itself)), account: anyOf(entries.map(it => it.account)) };
}

function entryNames(kind: string, entry: string, asker: Caller): PrincipalAnswers {
  if (kind === 'Service') return 'service' in asker ? serviceNamed(entry, asker) : NO_PRINCIPAL;
  if (kind === 'AWS') return entry === '*' ? EVERYONE : accountNamed(entry, asker);
  return kind === 'Federated' || kind === 'CanonicalUser' ? NO_PRINCIPAL : UNKNOWN_PRINCIPALS;
}

/** Some Regions have service principals of their own. **Assumption IAM-3:** Where AWS uses which is mostly unknown. */
function serviceNamed(entry: string, { service, isOnlyPrincipal }: ServiceCaller): PrincipalAnswers {
  if (entry === service) return EVERYONE;
  const isSameService = entry.split('.')[0] === service.split('.')[0];
  const isOpen = (isSameService && !isOnlyPrincipal) || hasStandIn(entry) || entry.includes('*');
  return isOpen ? { itself: 'unknown', account: 'no' } : NO_PRINCIPAL;
}

const ACCOUNT = /^(?:arn:[^:]+:iam::([^:]+):root|([^:]+))$/;
/** The unique id that IAM puts in place of a deleted user or role. */
const UNIQUE_ID = /^A[A-Z0-9]{15,}$/;

function accountNamed(entry: string, asker: Caller): PrincipalAnswers {
  const isOpen = hasStandIn(entry) && !parseArn(entry) && !isAccountStandIn(entry);
  if ('service' in asker) return isOpen ? { itself: 'unknown', account: 'no' } : NO_PRINCIPAL;
  if (UNIQUE_ID.test(entry)) return UNKNOWN_PRINCIPALS;
  const { account: own = '' } = parseArn(asker.roleArn) ?? {};
  const [, ofRoot, alone] = ACCOUNT.exec(entry) ?? [];
  const account = ofRoot ?? alone;
  if (account !== undefined) return { itself: isOpen ? 'unknown' : 'no', account: isEqual(account, own) };
  if (parseArn(entry)?.service === 'sts') return { itself: 'unknown', account: 'no' };
  return { itself: isEqual(entry, asker.roleArn), account: 'no' };
}

/**
 * Whether a statement applies to the caller: its Principal names the caller, or its NotPrincipal does not. A Deny with NotPrincipal
 * applies to every role that has a permissions boundary.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
 */
function principalsMatch(statement: JsonObject, asker: Caller, effect: Effect): PrincipalAnswers {
  const { Principal: named, NotPrincipal: others } = statement;
  if (others === undefined) return named === undefined ? UNKNOWN_PRINCIPALS : principalsNamed(named, asker);
  const { itself, account } = principalsNamed(others, asker);
  const isLimited = effect === 'Deny' && 'isLimited' in asker ? asker.isLimited : 'no';
  return { itself: anyOf([isLimited, allOf([opposite(itself), opposite(account)])]), account: 'no' };
}

const isEqualIgnoringCase: TextMatch = (wanted, actual) => isEqual(wanted.toLowerCase(), actual.toLowerCase());

/** A condition operator: its name, its comparison, and whether it is satisfied when no value matches. */
interface Operator {
  readonly match: TextMatch;
  readonly isNegated: boolean;
}

/**
 * For numbers, dates, addresses and bytes, only the absence of the key is decided: no request asked about here has one.
 */
const undecided: TextMatch = () => 'unknown';

const COMPARISONS: readonly (readonly [name: string, negation: string, match: TextMatch])[] = [
  ['StringEquals', 'StringNotEquals', isEqual],
  ['StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase', isEqualIgnoringCase],
  ['StringLike', 'StringNotLike', isLike],
  ['ArnEquals', 'ArnNotEquals', isLikeArn],
  ['ArnLike', 'ArnNotLike', isLikeArn],
  ['IpAddress', 'NotIpAddress', undecided],
  ['NumericEquals', 'NumericNotEquals', undecided],
  ['DateEquals', 'DateNotEquals', undecided],
];

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ...COMPARISONS.flatMap(([name, negation, match]): [string, Operator][] => [
    [name, { match, isNegated: false }],
    [negation, { match, isNegated: true }],
  ]),
  ['Bool', { match: isEqualIgnoringCase, isNegated: false }],
]);

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(.+?)(IfExists)?$/;

/**
 * Whether a `Condition` block holds for a request.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
function conditionsHold(block: unknown, keys: RequestKeys): Answer {
  return allOf(comparisonsIn(block, keys).map(({ answer: it }) => it));
}

/** One comparison of a `Condition` block, and whether it holds. */
interface Comparison {
  readonly key: string;
  readonly wanted: unknown;
  readonly answer: Answer;
}

function comparisonsIn(block: unknown = {}, keys: RequestKeys): readonly Comparison[] {
  const unreadable = (key: string, wanted: unknown): Comparison => ({ key, wanted, answer: 'unknown' });
  if (!isObject(block)) return [unreadable('Condition', block)];
  return Object.entries(block).flatMap(([operator, compared]): Comparison[] => {
    if (!isObject(compared)) return [unreadable(operator, compared)];
    return Object.entries(compared).map(([key, wanted]) => ({
      key,
      wanted,
      answer: holds(operator, wanted, key.toLowerCase(), keys),
    }));
  });
}

function holds(name: string, wanted: unknown, key: string, keys: RequestKeys): Answer {
  if (!Object.hasOwn(keys, key)) return 'unknown';
  const actual = keys[key];
  const [, quantifier, base = '', ifExists] = OPERATOR.exec(name) ?? [];
  if (base === 'Null') return isNull(wanted, actual);
  const operator = OPERATORS.get(base);
  if (!operator) return 'unknown';
  if (actual === undefined) {
    if (ifExists !== undefined || quantifier === 'ForAllValues') return 'yes';
    return answer(operator.isNegated && quantifier !== 'ForAnyValue');
  }
  const matches = anyMatches(asTexts(wanted), actual, operator.match);
  return operator.isNegated ? opposite(matches) : matches;
}

function isNull(wanted: unknown, actual: string | undefined): Answer {
  const [value, ...more] = asTexts(wanted);
  if (more.length > 0 || (value !== 'true' && value !== 'false')) return 'unknown';
  return answer((value === 'true') === (actual === undefined));
}

/** JSON may contain `true` or a number where a policy means the text. */
function asTexts(wanted: unknown): readonly unknown[] {
  return listOfOneOrMore(wanted).map(it => (typeof it === 'boolean' || typeof it === 'number' ? String(it) : it));
}
