import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import type { Logs } from '../logs';
import { metricFilterResourceType, subscriptionFilterResourceType } from './filters';
import {
  logGroupResourceType,
  logStreamResourceType,
  queryDefinitionResourceType,
  resourcePolicyResourceType,
} from './log-groups';

/** The implemented CloudFormation resource types of CloudWatch Logs. */
export const logsResourceTypes = (logs: Logs, place: Place): ResourceType[] => [
  logGroupResourceType(logs, place),
  logStreamResourceType(logs),
  metricFilterResourceType(logs),
  queryDefinitionResourceType(logs),
  resourcePolicyResourceType(logs),
  subscriptionFilterResourceType(logs),
];
