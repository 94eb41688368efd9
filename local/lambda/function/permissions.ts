import { parseArn } from '../../../policy/arn';
import { policyExcesses } from '../../../policy/resource-policy';
import type { PolicyDocument } from '../../kernel/access';
import { rootArn } from '../../kernel/caller';
import { conflict, policyLengthExceeded, resourceNotFound } from '../errors';

/**
 * The resource-based policies of a function: one for the function itself, and one for each of its versions and aliases.
 */
export class Permissions {
  private readonly byQualifier = new Map<string | undefined, readonly Permission[]>();

  /** @param arnOf returns the ARN of the function, or of one of its versions and aliases */
  constructor(private readonly arnOf: (qualifier: string | undefined) => string) {}

  /** Returns the policy of the function itself, or of one version or alias. */
  policyOf(qualifier: string | undefined): PolicyDocument | undefined {
    return functionPolicy(this.arnOf(qualifier), this.of(qualifier));
  }

  add(qualifier: string | undefined, permission: Permission): void {
    const { statementId } = permission;
    if (this.find(qualifier, statementId)) {
      throw conflict(
        `The statement id (${statementId}) provided already exists. ` +
          'Please provide a new statement id, or remove the existing statement.',
      );
    }
    const permissions = [...this.of(qualifier), permission];
    checkPolicySize(functionPolicy(this.arnOf(qualifier), permissions));
    this.byQualifier.set(qualifier, permissions);
  }

  remove(qualifier: string | undefined, statementId: string): void {
    const all = this.of(qualifier);
    if (all.length === 0) throw resourceNotFound('No policy is associated with the given resource.');
    const found = this.find(qualifier, statementId);
    if (!found) throw resourceNotFound(`Statement ${statementId} is not found in resource policy.`);
    this.byQualifier.set(
      qualifier,
      all.filter(permission => permission !== found),
    );
  }

  private of(qualifier: string | undefined): readonly Permission[] {
    return this.byQualifier.get(qualifier) ?? [];
  }

  private find(qualifier: string | undefined, statementId: string): Permission | undefined {
    return this.of(qualifier).find(permission => permission.statementId === statementId);
  }
}

/**
 * A permission to call the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
 */
export interface Permission {
  readonly statementId: string;
  readonly action: string;
  /** A service (`sns.amazonaws.com`), an account id, the ARN of a user or role, or `*`. */
  readonly principal: string;
  readonly sourceArn?: string;
  readonly sourceAccount?: string;
}

/**
 * Recorded: the text of a policy that is too large. **Assumption LAMBDA-15:** AWS does not publish how it counts the
 * bytes. Here they are those of the policy that `GetPolicy` returns.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
function checkPolicySize(policy: PolicyDocument | undefined): void {
  const bytes = Buffer.byteLength(JSON.stringify(policy) ?? '');
  const [excess] = policyExcesses('function', policy, bytes);
  if (!excess) return;
  throw policyLengthExceeded(`The final policy size (${bytes}) is bigger than the limit (${excess.limit}).`);
}

/** The function's resource-based policy, as `GetPolicy` returns it. */
export function functionPolicy(functionArn: string, permissions: readonly Permission[]): PolicyDocument | undefined {
  if (permissions.length === 0) return undefined;
  return { Version: '2012-10-17', Id: 'default', Statement: permissions.map(it => statement(functionArn, it)) };
}

/** One statement of the policy, as `AddPermission` returns it. */
export function statement(
  functionArn: string,
  { statementId, action, principal, sourceArn, sourceAccount }: Permission,
) {
  const condition = {
    ...(sourceArn && { ArnLike: { 'AWS:SourceArn': sourceArn } }),
    ...(sourceAccount && { StringEquals: { 'AWS:SourceAccount': sourceAccount } }),
  };
  return {
    Sid: statementId,
    Effect: 'Allow',
    Principal: principalElement(principal, parseArn(functionArn)?.partition ?? 'aws'),
    Action: action,
    Resource: functionArn,
    ...(Object.keys(condition).length > 0 && { Condition: condition }),
  };
}

function principalElement(principal: string, partition: string): string | Readonly<Record<string, string>> {
  if (principal === '*') return '*';
  if (/^\d{12}$/.test(principal)) return { AWS: rootArn(partition, principal) };
  return principal.startsWith('arn:') ? { AWS: principal } : { Service: principal };
}
