import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';
import { eventInvokeConfigResourceType } from './event-invoke-config';
import { eventSourceMappingResourceType } from './event-source-mapping';
import { functionResourceType } from './function';
import { permissionResourceType } from './permission';

/** The CloudFormation resource types of Lambda. */
export function lambdaResourceTypes(lambda: Lambda): readonly ResourceType[] {
  return [
    functionResourceType(lambda),
    permissionResourceType(lambda),
    eventInvokeConfigResourceType(lambda),
    eventSourceMappingResourceType(lambda),
  ];
}
