import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import { isMembers } from '../kernel/json';
import type { Operation, ServiceModel } from './service-model';

/**
 * Whether a request has every member its API model says must be there. AWS looks at that before it looks at what the
 * request is about.
 *
 * @throws AwsError that tells all that are missing; nothing of services that say so in words of their own
 */
export function checkRequired({ missingMemberCode: code }: ServiceModel, operation: Operation, input: unknown): void {
  if (code === undefined) return;
  const given = isMembers(input) ? input : {};
  const constraints = new Constraints(text => new AwsError(code, text));
  for (const member of operation.requiredMembers) constraints.notNull(decapitalized(member), given[member]);
  constraints.check();
}

/** As AWS spells members in such errors. */
const decapitalized = (member: string): string => member.charAt(0).toLowerCase() + member.slice(1);
