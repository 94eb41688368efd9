import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import type { Logs } from '../logs';
import { logGroupResourceType } from './log-group';
import { logStreamResourceType } from './log-stream';
import { metricFilterResourceType } from './metric-filter';
import { queryDefinitionResourceType } from './query-definition';
import { resourcePolicyResourceType } from './resource-policy';
import { subscriptionFilterResourceType } from './subscription-filter';

/** The resource types of CloudWatch Logs. */
export const logsResourceTypes = (logs: Logs, place: Place): ResourceType[] => [
  logGroupResourceType(logs, place),
  logStreamResourceType(logs),
  metricFilterResourceType(logs),
  queryDefinitionResourceType(logs),
  resourcePolicyResourceType(logs),
  subscriptionFilterResourceType(logs),
];
