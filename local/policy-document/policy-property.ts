import type { PropertyReader } from '../cloudformation/property-reader';
import type { PolicyDocument } from '../kernel/access';
import { policyProblems } from './policy';
import type { PolicyKind } from './statement';

/**
 * Reads a policy from a resource's properties and notes everything in it that cannot be evaluated.
 *
 * @returns undefined when there is none, or none that can be used
 */
export function policyProperty(properties: PropertyReader, name: string, kind: PolicyKind): PolicyDocument | undefined {
  const members = properties.document(name);
  if (!members) return undefined;
  const document: PolicyDocument = { ...members, Statement: members['Statement'] };
  const problems = policyProblems(document, kind);
  for (const problem of problems) properties.problem(name, `cannot be evaluated: ${problem}`);
  return problems.length > 0 ? undefined : document;
}

/** Like `policyProperty`, for a policy that must be there. */
export function requiredPolicyProperty(
  properties: PropertyReader,
  name: string,
  kind: PolicyKind,
): PolicyDocument | undefined {
  const before = properties.notedProblems().length;
  const document = policyProperty(properties, name, kind);
  if (!document && properties.notedProblems().length === before) properties.problem(name, 'is required');
  return document;
}
