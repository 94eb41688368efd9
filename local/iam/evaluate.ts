import { parseArn } from '../../policy/arn';
import type { AccessDecision, AccessRequest } from '../kernel/access';
import { accountOf, callerName } from '../kernel/caller';
import type { Clock } from '../kernel/clock';
import type { Place } from '../kernel/place';
import { type Policy, parsePolicy } from '../policy-document/policy';
import { type ContextLookup, contextOf } from '../policy-document/request-context';
import type { PrincipalMatch, Statement } from '../policy-document/statement';

/** A policy with its name in a reason: `policy "Default" of role Billing`. */
export interface NamedPolicy {
  readonly name: string;
  readonly policy: Policy;
  /** Set for a managed policy that is not known, or of which only the statements about some services are. */
  readonly incomplete?: Incomplete;
}

interface Incomplete {
  readonly arn: string;
  /** The services (`sqs`) and actions (`ec2:CreateNetworkInterface`) about which `policy` is complete. */
  readonly knownOf: ReadonlySet<string>;
}

/** The permissions of a caller's identity, before resource policies. */
export type Identity =
  /** An administrator in its own account, who may do everything. */
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'policies';
      readonly policies: readonly NamedPolicy[];
      /** The permissions boundary, which must allow what the policies allow. */
      readonly boundary?: NamedPolicy | undefined;
    }
  /**
   * A principal without policies: a service, or a role that does not exist. `why` is the reason when nothing else
   * allows the request.
   */
  | { readonly kind: 'nothing'; readonly why: string };

interface Evaluation {
  readonly request: AccessRequest;
  readonly identity: Identity;
  readonly place: Place;
  readonly clock: Clock;
}

/**
 * Resources that even their own account can use only when their own policy allows it. For a key or a role, identity
 * policies count only if the resource's policy delegates the decision to the account.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_update-role-trust-policy.html
 */
const MUST_DELEGATE = /^(kms:|sts:assumerole$)/i;
const TRUST_ACTION = /^sts:assumerole$/i;

/** What can allow a request. Each function returns the statement it found. */
interface Grants {
  identity(): string | undefined;
  /** The resource's policy names the caller, or everyone. */
  resource(): string | undefined;
  /** The resource's policy names the caller's account, or the caller itself. */
  account(): string | undefined;
}

/**
 * Decides a request as AWS does. An explicit Deny anywhere wins. Within one account, either side's Allow is enough,
 * unless the resource must delegate. Across accounts, both sides must allow. A service has no identity policies. A
 * permissions boundary limits what either side allows the role.
 *
 * A request that no known policy allows or denies, and that an unknown managed policy may allow, is allowed and marked.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
 */
export function evaluateAccess(evaluation: Evaluation): AccessDecision {
  const { request, identity, place, clock } = evaluation;
  const context = contextOf({ caller: request.caller, resource: request.resource, place, clock });
  const { policies: identityPolicies, boundary } = identity.kind === 'policies' ? identity : NO_POLICIES;
  const asked: Asked = { request, context, place, isLimited: boundary !== undefined };
  const resourcePolicy = namedResourcePolicy(request);
  const ofRole = boundary ? [...identityPolicies, boundary] : identityPolicies;
  const policies = resourcePolicy ? [...ofRole, resourcePolicy] : ofRole;

  const unusable = policies.find(({ policy }) => policy.problems.length > 0);
  if (unusable) return refusal(`${unusable.name} cannot be evaluated: ${unusable.policy.problems.join('; ')}`);

  const denied = firstApplying(policies, 'Deny', asked, 'its account');
  if (denied !== undefined) return { ...refusal(`${denied} denies it`), isDenied: true };

  const grants: Grants = {
    identity: () => identityGrant(identity, asked),
    resource: () => resourcePolicy && firstApplying([resourcePolicy], 'Allow', asked, 'itself'),
    account: () => resourcePolicy && firstApplying([resourcePolicy], 'Allow', asked, 'its account'),
  };
  const isUnlimited =
    !boundary ||
    firstApplying([boundary], 'Allow', asked, 'itself') !== undefined ||
    (resourcePolicy !== undefined && reachesPastBoundary(resourcePolicy, asked));
  const limits = isUnlimited ? [] : incompleteFor([boundary], request);
  if (!isUnlimited && limits.length === 0) {
    return refusal(`${boundary.name} does not allow ${request.action} on ${request.resource}`);
  }
  const certain = combine(grants, request, place);
  const unknown = certain === undefined ? incompleteFor(identityPolicies, request) : [];
  const [first] = unknown;
  const allowed = first === undefined ? certain : combine({ ...grants, identity: () => first }, request, place);
  if (allowed === undefined) return refusal(explainRefusal(asked, identity, resourcePolicy, grants));
  if (limits.length + unknown.length > 0) return unknownDecision([...limits, ...unknown]);
  return { allowed: true, reason: `${allowed} allows it` };
}

const NO_POLICIES: Pick<Identity & { kind: 'policies' }, 'policies' | 'boundary'> = { policies: [] };

/** The ARNs of the policies that may say more about the request than is known. */
function incompleteFor(policies: readonly NamedPolicy[], { action }: AccessRequest): readonly string[] {
  const [service = ''] = action.split(':');
  return policies.flatMap(({ incomplete }) =>
    incomplete === undefined || incomplete.knownOf.has(service) || incomplete.knownOf.has(action)
      ? []
      : [incomplete.arn],
  );
}

function unknownDecision(unknownPolicies: readonly string[]): AccessDecision {
  const reason = `it is unknown whether AWS allows it: the document of ${unknownPolicies.join(' and ')} is not known here`;
  return { allowed: true, reason, unknownPolicies };
}

interface Asked {
  readonly request: AccessRequest;
  readonly context: ContextLookup;
  readonly place: Place;
  /** Whether the caller has a permissions boundary. */
  readonly isLimited: boolean;
}

/**
 * Whether a policy of a resource of the same account allows the request to the session itself: a boundary only limits what is
 * allowed to the role.
 * **Assumption IAM-11:** A boundary limits what is allowed to everyone, unless a condition names `aws:PrincipalArn`.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-denyallow.html
 */
function reachesPastBoundary({ policy }: NamedPolicy, asked: Asked): boolean {
  const { request, place } = asked;
  if (request.asksOwnPoliciesOnly || !isWithinAccount(request, place)) return false;
  return policy.statements.some(
    it => it.effect === 'Allow' && it.namesSession(request.caller, place) && applies(it, asked) === 'itself',
  );
}

function isWithinAccount({ caller, resource, coOwner }: AccessRequest, place: Place): boolean {
  const own = accountOf(caller);
  // Resources of AWS itself, such as its managed policies, count as resources of every account.
  const owner = parseArn(resource)?.account.replace(/^aws$/, '');
  return own === (owner || place.account) || own === coOwner;
}

function combine(grants: Grants, request: AccessRequest, place: Place): string | undefined {
  const { caller, action, resource, asksOwnPoliciesOnly } = request;
  if (asksOwnPoliciesOnly) return grants.identity();
  if (accountOf(caller) === undefined) return grants.resource();
  if (!isWithinAccount(request, place)) return grants.identity() && grants.account();
  // Requests without a particular key, such as listing keys, have no key policy that could delegate.
  if (resource === '*' || !MUST_DELEGATE.test(action)) return grants.identity() ?? grants.resource();
  return grants.resource() ?? (grants.account() && grants.identity());
}

function identityGrant(identity: Identity, asked: Asked): string | undefined {
  if (identity.kind === 'everything') return `being an administrator of account ${accountOf(asked.request.caller)}`;
  return identity.kind === 'nothing' ? undefined : firstApplying(identity.policies, 'Allow', asked, 'itself');
}

/** @param reach the broadest match that counts */
function firstApplying(
  policies: readonly NamedPolicy[],
  effect: Statement['effect'],
  asked: Asked,
  reach: Exclude<PrincipalMatch, 'not'>,
): string | undefined {
  for (const { name, policy } of policies) {
    for (const statement of policy.statements) {
      if (statement.effect !== effect) continue;
      const match = applies(statement, asked);
      if (match === 'itself' || match === reach) return `${statement.label} of ${name}`;
    }
  }
  return undefined;
}

function applies(statement: Statement, asked: Asked): PrincipalMatch {
  const { request, context } = asked;
  if (!statement.matchesAction(request.action) || !statement.matchesResource(request.resource, context)) return 'not';
  const match = principalMatch(statement, asked);
  if (match === 'not') return 'not';
  return statement.conditions.every(condition => condition(context) === undefined) ? match : 'not';
}

/**
 * A Deny of all but some principals denies whoever has a permissions boundary.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
 */
function principalMatch(statement: Statement, { request, place, isLimited }: Asked): PrincipalMatch {
  const { principal, exceptPrincipal, effect } = statement;
  if (!principal) return 'itself';
  const match = principal(request.caller, place);
  if (!exceptPrincipal) return match;
  return match === 'not' || (isLimited && effect === 'Deny') ? 'itself' : 'not';
}

function namedResourcePolicy({ resource, resourcePolicy, action }: AccessRequest): NamedPolicy | undefined {
  if (!resourcePolicy) return undefined;
  const kind = TRUST_ACTION.test(action) ? 'trust' : 'resource';
  return { name: `the policy of ${resource}`, policy: parsePolicy(resourcePolicy, kind) };
}

/** Explains a refusal for the operator: the request, and how close each policy came to allowing it. */
function explainRefusal(
  asked: Asked,
  identity: Identity,
  resourcePolicy: NamedPolicy | undefined,
  grants: Grants,
): string {
  const { caller, action, resource } = asked.request;
  const account = grants.account();
  const reasons = [
    ...(identity.kind === 'nothing' ? [identity.why] : []),
    ...(identity.kind === 'policies' && !grants.identity() ? identityMisses(identity.policies, asked) : []),
    ...(account !== undefined && !grants.resource()
      ? [`${account} leaves it to the identity policies of the account`]
      : []),
    ...(account === undefined ? resourceMisses(resourcePolicy, asked, caller.principal.kind === 'service') : []),
  ];
  return `nothing allows ${callerName(caller, asked.place.partition)} to call ${action} on ${resource}: ${reasons.join('; ')}`;
}

function identityMisses(policies: readonly NamedPolicy[], asked: Asked): readonly string[] {
  if (policies.length === 0) return ['the role has no policies'];
  const misses = policies.flatMap(policy => nearMisses(policy, asked));
  return misses.length > 0 ? misses : ['no policy of the role allows the action on anything'];
}

function resourceMisses(policy: NamedPolicy | undefined, asked: Asked, isService: boolean): readonly string[] {
  if (!policy) {
    const { action, resource } = asked.request;
    const needed = isService || (resource !== '*' && MUST_DELEGATE.test(action));
    return needed
      ? ['the resource has no policy, and only a resource policy can allow this request']
      : ['the resource has no policy'];
  }
  const misses = nearMisses(policy, asked);
  return misses.length > 0 ? misses : [`no statement of ${policy.name} allows the action`];
}

/** The Allow statements for the action, and why each does not apply. */
function nearMisses({ name, policy }: NamedPolicy, asked: Asked): readonly string[] {
  const { request, context } = asked;
  return policy.statements.flatMap(statement => {
    if (statement.effect !== 'Allow' || !statement.matchesAction(request.action)) return [];
    const at = `${statement.label} of ${name}`;
    if (!statement.matchesResource(request.resource, context)) return [`${at} is for other resources`];
    if (principalMatch(statement, asked) === 'not') return [`${at} is for other principals`];
    const failed = statement.conditions.flatMap(condition => condition(context) ?? []);
    return failed.length > 0 ? [`${at} does not hold: ${failed.join(' and ')}`] : [];
  });
}

function refusal(reason: string): AccessDecision {
  return { allowed: false, reason };
}
