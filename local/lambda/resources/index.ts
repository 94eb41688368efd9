import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';
import { eventSourceMappingResourceType } from './event-source-mapping';
import { functionResourceType } from './function';
import {
  aliasResourceType,
  eventInvokeConfigResourceType,
  permissionResourceType,
  versionResourceType,
} from './function-settings';

export function lambdaResourceTypes(lambda: Lambda): readonly ResourceType[] {
  return [
    functionResourceType(lambda),
    versionResourceType(lambda),
    aliasResourceType(lambda),
    permissionResourceType(lambda),
    eventInvokeConfigResourceType(lambda),
    eventSourceMappingResourceType(lambda),
  ];
}
