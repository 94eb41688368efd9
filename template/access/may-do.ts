import { parseArn } from '../../policy/arn';
import { isObject } from '../../policy/json-members';
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
  listed,
  opposite,
  type TextMatch,
} from './text-matching';

/** A policy that hangs on something. Undefined where it has none. */
type Policy = MaybeKnown<PolicyDocument | undefined>;

const UNKNOWN: PrincipalAnswers = { itself: 'unknown', account: 'unknown' };
const NO: PrincipalAnswers = { itself: 'no', account: 'no' };

function apply(policy: Policy, kind: PolicyKind, effect: 'Allow' | 'Deny', request: Request): PrincipalAnswers {
  if (!isKnown(policy)) return UNKNOWN;
  return policy === undefined ? NO : statementsApply(policy, kind, effect, request);
}

/** Whether a policy says yes and nothing in it says no. */
function unlessDenied(allowed: Answer, denied: readonly PrincipalAnswers[]): Answer {
  return allOf([allowed, ...denied.flatMap(({ itself, account }) => [opposite(itself), opposite(account)])]);
}

/**
 * Whether a service may do something that only the policy of what it acts on can allow: a queue's, a topic's, a key's, a
 * function's. `unknown` where that hangs on what is not told, or on a condition nobody publishes the value of.
 *
 * @param policy of the resource, or why it is not known
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function mayDo(question: ServiceQuestion, policy: Policy): Answer {
  const { service, action, resource } = question;
  const request: Request = { asker: { service }, action, resource, keys: serviceKeys(question) };
  const { itself } = apply(policy, 'resource', 'Allow', request);
  return unlessDenied(itself, [apply(policy, 'resource', 'Deny', request)]);
}

/** The policies a role's request is held against. */
export interface RolePolicies {
  /** The role's own. */
  readonly identity: MaybeKnown<readonly PolicyDocument[]>;
  /** Of what is acted on. Undefined where it has none. */
  readonly resource: Policy;
}

/** A key counts what a role's own policies say only where its policy leaves that to the account. */
const MUST_DELEGATE = /^kms:/i;

/**
 * Whether a role may do something. Within an account the role's own policies or the resource's can allow it, across accounts
 * both must. What an organization or a permissions boundary denies is not looked at: `yes` means as far as these policies go.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function roleMayDo(question: RoleQuestion, { identity, resource: resourcePolicy }: RolePolicies): Answer {
  const { roleArn, action, resource } = question;
  const request: Request = { asker: { roleArn }, action, resource, keys: roleKeys(question) };
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
  return unlessDenied(allowed, [
    ...own.map(policy => apply(policy, 'identity', 'Deny', request)),
    apply(resourcePolicy, 'resource', 'Deny', request),
  ]);
}

function sameAccount(roleArn: string, resource: string): Answer {
  const [own, other] = [parseArn(roleArn)?.account, parseArn(resource)?.account];
  return own && other ? isEqual(own, other) : 'unknown';
}

/** What of a request a statement is held against. */
export interface Request {
  readonly asker: Asker;
  readonly action: string;
  readonly resource: string;
  readonly keys: RequestKeys;
}

/** Where a policy hangs: that of an identity speaks of its owner, that of a resource says of whom. */
export type PolicyKind = 'identity' | 'resource';

type Effect = 'Allow' | 'Deny';

const isLikeAction: TextMatch = (wanted, actual) => isLike(wanted.toLowerCase(), actual.toLowerCase());

const OWNER: PrincipalAnswers = { itself: 'yes', account: 'no' };

/** How far the statements of one effect apply to a request. */
export function statementsApply(
  document: PolicyDocument,
  kind: PolicyKind,
  effect: Effect,
  request: Request,
): PrincipalAnswers {
  const each = listed(document.Statement).map(it => applies(it, kind, effect, request));
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
  const who = kind === 'identity' ? OWNER : speaksOf(statement, asker);
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

/** How a statement's principals meet who asks: they name it, or everyone; or only the account it belongs to. */
export interface PrincipalAnswers {
  readonly itself: Answer;
  /** Of a service `no`: it belongs to none. */
  readonly account: Answer;
}

export type Asker = { readonly service: string } | { readonly roleArn: string };

const UNKNOWN_PRINCIPALS: PrincipalAnswers = { itself: 'unknown', account: 'unknown' };
const NO_PRINCIPAL: PrincipalAnswers = { itself: 'no', account: 'no' };
const EVERYONE: PrincipalAnswers = { itself: 'yes', account: 'no' };

/**
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
 */
function principalsNamed(element: unknown, asker: Asker): PrincipalAnswers {
  if (element === '*') return EVERYONE;
  if (!isObject(element)) return UNKNOWN_PRINCIPALS;
  const entries = Object.entries(element).flatMap(([kind, value]) =>
    listed(value).map(it => (typeof it === 'string' ? entryNames(kind, it, asker) : UNKNOWN_PRINCIPALS)),
  );
  return { itself: anyOf(entries.map(it => it.itself)), account: anyOf(entries.map(it => it.account)) };
}

function entryNames(kind: string, entry: string, asker: Asker): PrincipalAnswers {
  if (kind === 'Service') return 'service' in asker ? serviceNamed(entry, asker.service) : NO_PRINCIPAL;
  if (kind === 'AWS') return entry === '*' ? EVERYONE : accountNamed(entry, asker);
  return kind === 'Federated' || kind === 'CanonicalUser' ? NO_PRINCIPAL : UNKNOWN_PRINCIPALS;
}

/** A service has names of its own in some Regions, of which it is not told which one AWS uses. */
function serviceNamed(entry: string, service: string): PrincipalAnswers {
  if (entry === service) return EVERYONE;
  const isRelated = entry.split('.')[0] === service.split('.')[0] || hasStandIn(entry) || entry.includes('*');
  return isRelated ? { itself: 'unknown', account: 'no' } : NO_PRINCIPAL;
}

const ACCOUNT = /^(?:arn:[^:]+:iam::([^:]+):root|([^:]+))$/;
/** What IAM turns a principal into that has been deleted: a user, a role. */
const UNIQUE_ID = /^A[A-Z0-9]{15,}$/;

function accountNamed(entry: string, asker: Asker): PrincipalAnswers {
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

/** Whom a statement speaks of: all that its Principal names, or all that its NotPrincipal does not. */
export function speaksOf(statement: Readonly<Record<string, unknown>>, asker: Asker): PrincipalAnswers {
  const { Principal: named, NotPrincipal: others } = statement;
  if (others === undefined) return named === undefined ? UNKNOWN_PRINCIPALS : principalsNamed(named, asker);
  const { itself, account } = principalsNamed(others, asker);
  return { itself: allOf([opposite(itself), opposite(account)]), account: 'no' };
}

const isEqualIgnoringCase: TextMatch = (wanted, actual) => isEqual(wanted.toLowerCase(), actual.toLowerCase());

/** What AWS calls an operator, how it compares, and whether it holds where nothing matches. */
interface Operator {
  readonly match: TextMatch;
  readonly isNegated: boolean;
}

/** Of numbers, dates, addresses and bytes only the absence of the key is decided: no request asked about here carries one. */
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
export function conditionsHold(block: unknown, keys: RequestKeys): Answer {
  if (block === undefined) return 'yes';
  if (!isObject(block)) return 'unknown';
  return allOf(
    Object.entries(block).flatMap(([operator, comparisons]): Answer[] =>
      isObject(comparisons)
        ? Object.entries(comparisons).map(([key, wanted]) => holds(operator, wanted, key.toLowerCase(), keys))
        : ['unknown'],
    ),
  );
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

/** JSON may have `true` or a number where a policy means the text. */
function asTexts(wanted: unknown): readonly unknown[] {
  return listed(wanted).map(it => (typeof it === 'boolean' || typeof it === 'number' ? String(it) : it));
}
