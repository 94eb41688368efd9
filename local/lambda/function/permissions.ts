import type { PolicyDocument } from '../../kernel/access';
import { conflict, resourceNotFound } from '../errors';
import { functionPolicy, type Permission } from './function-policy';

/** Who may call a function: a policy for itself, and one for each of its versions and aliases. */
export class Permissions {
  private readonly byQualifier = new Map<string | undefined, readonly Permission[]>();

  /** @param arnOf the ARN of the function, or of one of its versions and aliases */
  constructor(private readonly arnOf: (qualifier: string | undefined) => string) {}

  /** The policy of the function itself, or of one version or alias. */
  policyOf(qualifier: string | undefined): PolicyDocument | undefined {
    return functionPolicy(this.arnOf(qualifier), this.of(qualifier));
  }

  /** @throws AwsError `ResourceConflictException` */
  add(qualifier: string | undefined, permission: Permission): void {
    const { statementId } = permission;
    if (this.find(qualifier, statementId)) {
      throw conflict(
        `The statement id (${statementId}) provided already exists. ` +
          'Please provide a new statement id, or remove the existing statement.',
      );
    }
    this.byQualifier.set(qualifier, [...this.of(qualifier), permission]);
  }

  /** @throws AwsError `ResourceNotFoundException` */
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
