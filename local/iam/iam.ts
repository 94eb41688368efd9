import { nearNames } from '../../policy/near-names';
import { awsManagedPolicy, awsPolicyName, awsPolicyNames } from '../../template/access/managed-policies';
import type { AccessControl, AccessDecision, AccessRequest, PolicyDocument, UnknownDecision } from '../kernel/access';
import { AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { Constraints } from '../kernel/constraints';
import { arnIn, type Place } from '../kernel/place';
import { parsePolicy } from '../policy-document/policy';
import type { PolicyKind } from '../policy-document/statement';
import { evaluateAccess, type Identity } from './evaluate';
import { type ManagedDocument, Role } from './role';
import { type Session, SessionCredentialStore } from './session-credentials';
import type { IamContext } from './trace-events';

export interface CreateRoleInput {
  readonly roleName: string;
  readonly trustPolicy: PolicyDocument;
  /** Begins and ends with a slash. @default '/' */
  readonly path?: string;
  readonly description?: string;
  /** The longest session, from 3,600 to 43,200 seconds. @default 3600 */
  readonly maxSessionSeconds?: number;
}

/** A customer-managed policy, with its default version. */
export interface ManagedPolicy {
  readonly name: string;
  readonly arn: string;
  readonly id: string;
  readonly path: string;
  readonly description: string | undefined;
  readonly document: PolicyDocument;
  /** The number of the default version. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface CreatePolicyInput {
  readonly policyName: string;
  readonly document: PolicyDocument;
  /** Begins and ends with a slash. @default '/' */
  readonly path?: string;
  readonly description?: string;
}

/** The roles of all accounts by ARN, and their sessions by access key id. */
export class Identities {
  readonly roles = new Map<string, Role>();
  readonly sessions = new Map<string, Session>();
  /** By role, action and resource. */
  readonly unknownDecisions = new Map<string, UnknownDecision>();
}

/**
 * Identity and Access Management of one account: roles, their policies, the credentials of their sessions, and all access decisions.
 * The policies of queues, topics, keys and functions are stored by their services and passed in.
 */
export class Iam implements AccessControl {
  /** The callers of all access keys. */
  readonly credentials: SessionCredentialStore;
  /** Roles by name. As on AWS, names are unique whatever the path. */
  private readonly roles = new Map<string, Role>();
  private readonly managed = new Map<string, ManagedPolicy>();

  /** @param identities what all accounts of a simulation share @default - the account is the only one */
  constructor(
    private readonly context: IamContext,
    private readonly identities = new Identities(),
  ) {
    this.credentials = new SessionCredentialStore(
      context.place,
      context.random.stream('credentials'),
      context.timeline,
      identities.sessions,
    );
  }

  decide(request: AccessRequest): AccessDecision {
    return this.decideIn(this.context.place, request);
  }

  /** Decides about a request to a service in `place`, whose caller may belong to any account. */
  decideIn(place: Place, request: AccessRequest): AccessDecision {
    const decision = this.evaluate(request, place);
    if (decision.unknownPolicies) this.noteUnknown(request, decision.unknownPolicies);
    return decision;
  }

  /** Decides about a request that nothing depends on. */
  evaluate(request: AccessRequest, place = this.context.place): AccessDecision {
    const { timeline } = this.context;
    return evaluateAccess({ request, identity: this.identityOf(request.caller), place, clock: timeline });
  }

  /** Records an unknown decision when it is first made. */
  private noteUnknown({ caller: { principal }, action, resource }: AccessRequest, policyArns: readonly string[]): void {
    if (principal.kind !== 'role') return;
    const { unknownDecisions } = this.identities;
    const key = `${principal.arn} ${action} ${resource}`;
    if (unknownDecisions.has(key)) return;
    const decision = { roleArn: principal.arn, policyArns, action, resource };
    unknownDecisions.set(key, decision);
    this.context.trace.record({ type: 'iam.decision-unknown', ...decision });
  }

  /**
   * Whether the role's trust policy lets a service (`sns.amazonaws.com`) assume the role.
   *
   * @param context condition keys that the service sends, such as `aws:SourceArn`
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-service.html
   */
  decideAssumeRole(service: string, roleArn: string, context: Caller['context'] = {}): AccessDecision {
    const role = this.identities.roles.get(roleArn);
    if (!role) return { allowed: false, reason: `the role ${roleArn} does not exist` };
    const caller: Caller = {
      principal: { kind: 'service', service },
      context: { 'aws:SecureTransport': 'true', ...context },
    };
    return this.decide({ caller, action: 'sts:AssumeRole', resource: roleArn, resourcePolicy: role.trustPolicy });
  }

  /** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
  createRole({ roleName, trustPolicy, path = '/', description, maxSessionSeconds }: CreateRoleInput): Role {
    const maxSeconds = checkSessionSeconds(maxSessionSeconds ?? SESSION_SECONDS.min);
    if (this.roles.has(roleName)) {
      throw new AwsError('EntityAlreadyExists', `Role with name ${roleName} already exists.`, 409);
    }
    checkPolicy(trustPolicy, 'trust');
    const arn = this.arn(`role${path}${roleName}`);
    const id = `AROA${this.context.random.stream(`role/${roleName}`).hex(17).toUpperCase()}`;
    const createdAtMs = this.context.timeline.nowMs;
    const details = { path, description, createdAtMs, maxSessionSeconds: maxSeconds };
    const role = new Role(roleName, arn, id, trustPolicy, details);
    this.roles.set(roleName, role);
    this.identities.roles.set(arn, role);
    this.context.trace.record({ type: 'iam.role-created', roleArn: arn });
    return role;
  }

  role(roleName: string): Role {
    const role = this.roles.get(roleName);
    if (!role) throw new AwsError('NoSuchEntity', `The role with name ${roleName} cannot be found.`, 404);
    return role;
  }

  allRoles(): readonly Role[] {
    return [...this.roles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Deletes a role. It must not have policies. */
  deleteRole(roleName: string): void {
    const role = this.role(roleName);
    const hanging = role.attachedPolicyArns.length > 0 ? 'detach' : role.inlinePolicies.size > 0 ? 'delete' : undefined;
    if (hanging) throw new AwsError('DeleteConflict', `Cannot delete entity, must ${hanging} policies first.`, 409);
    this.roles.delete(roleName);
    this.identities.roles.delete(role.arn);
    this.context.trace.record({ type: 'iam.role-deleted', roleArn: role.arn });
  }

  findRoleNamed(roleName: string): Role | undefined {
    return this.roles.get(roleName);
  }

  /** @throws AwsError `NoSuchEntity`, `ValidationError` */
  updateRole(roleName: string, description: string | undefined, maxSessionSeconds = SESSION_SECONDS.min): void {
    const role = this.role(roleName);
    role.details = { ...role.details, description, maxSessionSeconds: checkSessionSeconds(maxSessionSeconds) };
  }

  findRole(roleArn: string): Role | undefined {
    return this.identities.roles.get(roleArn);
  }

  /** @throws AwsError `NoSuchEntity`, `MalformedPolicyDocument` */
  updateAssumeRolePolicy(roleName: string, trustPolicy: PolicyDocument): void {
    const role = this.role(roleName);
    checkPolicy(trustPolicy, 'trust');
    role.trustPolicy = trustPolicy;
    this.context.trace.record({ type: 'iam.trust-policy-updated', roleArn: role.arn });
  }

  /**
   * Adds an inline policy, or replaces the one with that name.
   *
   * @throws AwsError `NoSuchEntity`, `MalformedPolicyDocument`, `LimitExceeded`
   */
  putRolePolicy(roleName: string, policyName: string, document: PolicyDocument): void {
    const role = this.role(roleName);
    checkPolicy(document, 'identity');
    checkInlineSize(role, policyName, document);
    role.putPolicy(policyName, document);
    this.context.trace.record({ type: 'iam.role-policy-put', roleArn: role.arn, policyName });
  }

  deleteRolePolicy(roleName: string, policyName: string): void {
    const role = this.role(roleName);
    if (!role.deletePolicy(policyName)) {
      throw new AwsError('NoSuchEntity', `The role policy with name ${policyName} cannot be found.`, 404);
    }
    this.context.trace.record({ type: 'iam.role-policy-deleted', roleArn: role.arn, policyName });
  }

  /** @throws AwsError `NoSuchEntity` for a missing role or policy, `NotImplemented` for an unknown policy of AWS */
  attachRolePolicy(roleName: string, policyArn: string): void {
    const role = this.role(roleName);
    this.checkManagedPolicy(policyArn);
    this.attach(role, policyArn);
  }

  /** Attaches a managed policy whose document may be unknown. */
  attach(role: Role, policyArn: string): void {
    role.attach(policyArn, () => this.findManagedPolicy(policyArn));
    this.context.trace.record({ type: 'iam.role-policy-attached', roleArn: role.arn, policyArn });
  }

  /** Sets a permissions boundary whose document may be unknown; undefined removes it. */
  limit(role: Role, policyArn: string | undefined): void {
    if (policyArn === role.boundaryArn) return;
    role.limitTo(policyArn, () => (policyArn === undefined ? undefined : this.findManagedPolicy(policyArn)));
    this.context.trace.record({ type: 'iam.boundary-changed', roleArn: role.arn, policyArn });
  }

  detachRolePolicy(roleName: string, policyArn: string): void {
    const role = this.role(roleName);
    if (!role.detach(policyArn)) {
      throw new AwsError('NoSuchEntity', `Policy ${policyArn} was not found.`, 404);
    }
    this.context.trace.record({ type: 'iam.role-policy-detached', roleArn: role.arn, policyArn });
  }

  /**
   * Creates a customer-managed policy.
   *
   * @returns its ARN
   */
  createPolicy({ policyName, document, path = '/', description }: CreatePolicyInput): string {
    const arn = this.arn(`policy${path}${policyName}`);
    if (this.managed.has(arn)) {
      throw new AwsError(
        'EntityAlreadyExists',
        `A policy called ${policyName} already exists. Duplicate names are not allowed.`,
        409,
      );
    }
    checkPolicy(document, 'identity');
    const id = `ANPA${this.context.random.stream(`policy/${policyName}`).hex(17).toUpperCase()}`;
    const now = this.context.timeline.nowMs;
    const made = { name: policyName, arn, id, path, description, document, version: 1 };
    this.managed.set(arn, { ...made, createdAtMs: now, updatedAtMs: now });
    this.policiesChanged();
    this.context.trace.record({ type: 'iam.policy-created', policyArn: arn });
    return arn;
  }

  /** Sets a new default version of a customer-managed policy, for every role it is attached to. */
  createPolicyVersion(policyArn: string, document: PolicyDocument): void {
    const before = this.managed.get(policyArn);
    if (!before) throw new AwsError('NoSuchEntity', `Policy ${policyArn} does not exist.`, 404);
    checkPolicy(document, 'identity');
    const { nowMs: updatedAtMs } = this.context.timeline;
    this.managed.set(policyArn, { ...before, document, version: before.version + 1, updatedAtMs });
    this.policiesChanged();
    this.context.trace.record({ type: 'iam.policy-updated', policyArn });
  }

  /** Deletes a customer-managed policy. It must not be attached to a role. */
  deletePolicy(policyArn: string): void {
    if (!this.managed.has(policyArn)) {
      throw new AwsError('NoSuchEntity', `Policy ${policyArn} was not found.`, 404);
    }
    if (this.allRoles().some(it => it.attachedPolicyArns.includes(policyArn) || it.boundaryArn === policyArn)) {
      throw new AwsError('DeleteConflict', 'Cannot delete a policy attached to entities.', 409);
    }
    this.managed.delete(policyArn);
    this.context.trace.record({ type: 'iam.policy-deleted', policyArn });
  }

  hasManagedPolicy(policyArn: string): boolean {
    return this.findManagedPolicy(policyArn) !== undefined;
  }

  customerPolicy(policyArn: string): ManagedPolicy | undefined {
    return this.managed.get(policyArn);
  }

  /** The account's policies, sorted by name. */
  customerPolicies(): readonly ManagedPolicy[] {
    return [...this.managed.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private policiesChanged(): void {
    for (const role of this.roles.values()) role.policiesChanged();
  }

  /** @throws AwsError `NoSuchEntity` for a missing policy, `NotImplemented` for an unknown policy of AWS */
  checkManagedPolicy(policyArn: string): void {
    if (this.hasManagedPolicy(policyArn)) return;
    if (awsPolicyName(policyArn) === undefined) {
      throw new AwsError('NoSuchEntity', `Policy ${policyArn} does not exist or is not attachable.`, 404);
    }
    if (!this.context.allowsUnknownPolicies) throw unknownPolicy(policyArn);
  }

  findManagedPolicy(policyArn: string): ManagedDocument | undefined {
    return this.managed.get(policyArn) ?? awsManagedPolicy(policyArn);
  }

  private identityOf(caller: Caller): Identity {
    const { principal } = caller;
    if (principal.kind === 'account') return { kind: 'everything' };
    if (principal.kind === 'service') return { kind: 'nothing', why: 'a service has no policies of its own' };
    const role = this.identities.roles.get(principal.arn);
    if (role) return { kind: 'policies', policies: role.policies, boundary: role.boundary };
    return { kind: 'nothing', why: `the role ${principal.arn} does not exist` };
  }

  private arn(resource: string): string {
    return arnIn({ ...this.context.place, region: '' }, 'iam', resource);
  }
}

/** The rule that a managed policy breaks whose document is not known, with the names that may be meant. */
export function unknownPolicyRule(policyArn: string): string {
  const name = awsPolicyName(policyArn);
  const [near] = name === undefined ? [] : nearNames(name, awsPolicyNames());
  const meant = near === undefined ? '' : `, such as ${near}`;
  return `must name policies that the embedded AWS knows${meant}: with standIns 'warn', what others may allow is allowed and listed`;
}

/** AWS has more policies than are known here, so this is a limit of the embedded AWS. */
export function unknownPolicy(policyArn: string): AwsError {
  return notImplemented(`the managed policy ${policyArn}: PolicyArn ${unknownPolicyRule(policyArn)}`);
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
const SESSION_SECONDS = { min: 3600, max: 43_200 };

function checkSessionSeconds(seconds: number): number {
  const { min, max } = SESSION_SECONDS;
  new Constraints(text => new AwsError('ValidationError', text)).range('maxSessionDuration', seconds, min, max).check();
  return seconds;
}

function checkPolicy(document: PolicyDocument, kind: PolicyKind): void {
  const { problems } = parsePolicy(document, kind);
  if (problems.length > 0) throw new AwsError('MalformedPolicyDocument', problems.join('; '));
}

/** All inline policies of a role together, without spaces. The limit cannot be raised. */
const INLINE_POLICY_BYTES = 10_240;

/**
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html#reference_iam-quotas-entity-length
 */
function checkInlineSize({ name, inlinePolicies }: Role, policyName: string, document: PolicyDocument): void {
  const documents = new Map([...inlinePolicies, [policyName, document]]).values();
  const bytes = [...documents].reduce((sum, it) => sum + Buffer.byteLength(JSON.stringify(it)), 0);
  if (bytes <= INLINE_POLICY_BYTES) return;
  throw new AwsError(
    'LimitExceeded',
    `Maximum policy size of ${INLINE_POLICY_BYTES} bytes exceeded for role ${name}`,
    409,
  );
}
