import type { ParameterTier } from '@aws-sdk/client-ssm';
import type { PropertyReader } from '../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../cloudformation/resource-type';
import { accessDenied, RequestChecks, ServiceApi } from '../kernel/service-api';
import { SSM_ACTIONS, type SsmActions } from './actions';
import type { SecretReader } from './secret-reference';
import { SsmState } from './ssm-state';
import type { SsmContext } from './trace-events';

export type { SsmTraceEvent } from './trace-events';

/**
 * The Parameter Store of Systems Manager. Its other features are not simulated.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/systems-manager-parameter-store.html
 */
export class Ssm extends ServiceApi<SsmState, SsmActions> {
  constructor(context: SsmContext, secrets: SecretReader) {
    const checks = new RequestChecks('ssm', context, accessDenied(context.place, 'AccessDeniedException', 400));
    super(checks, SSM_ACTIONS, new SsmState(context, checks, secrets));
  }
}

export function ssmResourceTypes(ssm: Ssm): readonly ResourceType[] {
  return [parameterResource(ssm)];
}

/** Types that CloudFormation can create. SecureString is not one of them. */
const TYPES: ReadonlySet<string> = new Set(['String', 'StringList']);

function parameterResource(ssm: Ssm): ResourceType {
  const put: PutResource = (properties, context, existing) => {
    const Name = properties.string('Name') ?? context.physicalName(1011);
    const type = properties.requiredString('Type');
    if (type !== '' && !TYPES.has(type)) properties.problem('Type', 'must be String or StringList', type);
    const Value = properties.requiredString('Value');
    const optional = {
      Description: properties.string('Description'),
      AllowedPattern: properties.string('AllowedPattern'),
      DataType: properties.string('DataType'),
      Tier: properties.string('Tier') as ParameterTier | undefined,
      Policies: properties.string('Policies'),
    };
    const tags = tagsIn(properties);
    const Type = type === 'StringList' ? 'StringList' : 'String';
    ssm.call('PutParameter', ssm.owner, {
      Name,
      Type,
      Value,
      ...(existing ? { Overwrite: true } : { Tags: tags }),
      ...optional,
    });
    if (existing) changeTags(ssm, Name, tags, tagsIn(existing.properties));
    return { ref: Name, attributes: { Type, Value } };
  };
  return putType('AWS::SSM::Parameter', put, ({ ref: Name }) => ssm.call('DeleteParameter', ssm.owner, { Name }));
}

interface ParameterTag {
  Key: string;
  Value: string;
}

const tagsIn = (properties: PropertyReader): ParameterTag[] =>
  Object.entries(properties.document('Tags') ?? {}).map(([Key, value]) => ({ Key, Value: String(value) }));

/** An overwritten parameter keeps its tags, so an update changes them by themselves. */
function changeTags(ssm: Ssm, ResourceId: string, Tags: ParameterTag[], before: readonly ParameterTag[]): void {
  const TagKeys = before.map(({ Key }) => Key).filter(key => !Tags.some(({ Key }) => Key === key));
  const resource = { ResourceType: 'Parameter', ResourceId } as const;
  if (TagKeys.length > 0) ssm.call('RemoveTagsFromResource', ssm.owner, { ...resource, TagKeys });
  if (Tags.length > 0) ssm.call('AddTagsToResource', ssm.owner, { ...resource, Tags });
}
