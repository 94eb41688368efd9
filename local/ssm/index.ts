import type { ResourceType } from '../cloudformation/resource-type';
import type { Ssm } from './ssm';

export { Ssm } from './ssm';
export type { SsmTraceEvent } from './trace-events';

/** Every resource type of SSM. */
export function ssmResourceTypes(ssm: Ssm): readonly ResourceType[] {
  return [parameterResource(ssm)];
}

/** Types that CloudFormation can create. SecureString is not one of them. */
const TYPES: ReadonlySet<string> = new Set(['String', 'StringList']);

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ssm-parameter.html */
function parameterResource(ssm: Ssm): ResourceType {
  return {
    type: 'AWS::SSM::Parameter',
    create(properties, context) {
      const Name = properties.string('Name') ?? context.physicalName(1011);
      const type = properties.requiredString('Type');
      if (type !== '' && !TYPES.has(type)) properties.problem('Type', 'must be String or StringList', type);
      const Value = properties.requiredString('Value');
      const optional = {
        Description: properties.string('Description'),
        AllowedPattern: properties.string('AllowedPattern'),
        DataType: properties.string('DataType'),
        Tier: properties.string('Tier'),
        Policies: properties.string('Policies'),
      };
      const tags = Object.entries(properties.document('Tags') ?? {});
      const Type = type === 'StringList' ? 'StringList' : 'String';
      ssm.call('PutParameter', ssm.owner, {
        Name,
        Type,
        Value,
        Tags: tags.map(([Key, value]) => ({ Key, Value: String(value) })),
        ...given(optional),
      });
      return { ref: Name, attributes: { Type, Value } };
    },
  };
}

/** The members that have a value. */
function given(members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
