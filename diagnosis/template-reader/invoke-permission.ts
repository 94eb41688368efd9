import type { MaybeKnown } from '../../template/told';
import { isKnown } from '../../template/told';
import type { ResourceReading } from './resource-reading';

const SERVICE = /\.amazonaws\.com(\.[a-z]+)*$/;

/** Lambda takes a service, an account, the ARN of somebody, or everybody. */
function principalOf(principal: MaybeKnown<string>): unknown {
  if (principal === '*') return principal;
  return { [isKnown(principal) && !SERVICE.test(principal) ? 'AWS' : 'Service']: principal };
}

/** What a permission says besides, by operator and key of the condition that Lambda makes of it. */
const CONDITIONS = [
  { property: 'SourceArn', operator: 'ArnLike', key: 'AWS:SourceArn' },
  { property: 'SourceAccount', operator: 'StringEquals', key: 'AWS:SourceAccount' },
  { property: 'PrincipalOrgID', operator: 'StringEquals', key: 'aws:PrincipalOrgID' },
  { property: 'EventSourceToken', operator: 'StringEquals', key: 'lambda:EventSourceToken' },
  { property: 'FunctionUrlAuthType', operator: 'StringEquals', key: 'lambda:FunctionUrlAuthType' },
] as const;

/**
 * The statement Lambda makes of a permission.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
 */
export function invokePermission(
  by: ResourceReading,
  functionArn: MaybeKnown<string>,
): Readonly<Record<string, unknown>> {
  const condition: Record<string, Record<string, unknown>> = {};
  for (const { property, operator, key } of CONDITIONS) {
    const given = by.given(property);
    if (given.isPresent !== false) condition[operator] = { ...condition[operator], [key]: given.requiredText() };
  }
  return {
    Effect: 'Allow',
    Principal: principalOf(by.given('Principal').requiredText()),
    Action: by.given('Action').requiredText(),
    Resource: functionArn,
    ...(Object.keys(condition).length > 0 && { Condition: condition }),
  };
}
