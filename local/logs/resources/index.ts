import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import type { Logs } from '../logs';
import { logGroupResourceType } from './log-group';
import { metricFilterResourceType } from './metric-filter';

/** The resource types of CloudWatch Logs; subscription filters are not among them. */
export const logsResourceTypes = (logs: Logs, place: Place): ResourceType[] => [
  logGroupResourceType(logs, place),
  metricFilterResourceType(logs),
];
