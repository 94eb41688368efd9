import type { ResourceType } from '../../cloudformation/resource-type';
import type { Ssm } from '../ssm';
import { parameterResource } from './parameter';

/** Every resource type of SSM. */
export function ssmResourceTypes(ssm: Ssm): readonly ResourceType[] {
  return [parameterResource(ssm)];
}
