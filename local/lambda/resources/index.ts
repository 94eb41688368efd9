import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';
import { aliasResourceType } from './alias';
import { eventInvokeConfigResourceType } from './event-invoke-config';
import { eventSourceMappingResourceType } from './event-source-mapping';
import { functionResourceType } from './function';
import { permissionResourceType } from './permission';
import { versionResourceType } from './version';

/** The CloudFormation resource types of Lambda. */
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
