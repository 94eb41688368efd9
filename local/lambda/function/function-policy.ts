import { parseArn } from '../../../policy/arn';
import type { PolicyDocument } from '../../kernel/access';
import { rootArn } from '../../kernel/caller';

/**
 * Somebody who may call the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
 */
export interface Permission {
  readonly statementId: string;
  readonly action: string;
  /** A service (`sns.amazonaws.com`), an account, the ARN of a user or role, or `*`. */
  readonly principal: string;
  readonly sourceArn?: string;
  readonly sourceAccount?: string;
}

/** The function's resource-based policy, as `GetPolicy` answers it. */
export function functionPolicy(functionArn: string, permissions: readonly Permission[]): PolicyDocument | undefined {
  if (permissions.length === 0) return undefined;
  return { Version: '2012-10-17', Id: 'default', Statement: permissions.map(it => statement(functionArn, it)) };
}

/** One statement of it, as `AddPermission` answers it. */
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
