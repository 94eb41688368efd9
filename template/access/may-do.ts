import { parseArn } from '../../policy/arn';
import { isKnown, type MaybeKnown } from '../told';
import { type RoleQuestion, roleKeys, type ServiceQuestion, serviceKeys } from './access-question';
import { type Answer, allOf, anyOf, opposite } from './answer';
import type { PolicyDocument } from './policy-document';
import type { PrincipalAnswers } from './principals';
import { type PolicyKind, type Request, statementsApply } from './statements';
import { isEqual } from './texts';

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
