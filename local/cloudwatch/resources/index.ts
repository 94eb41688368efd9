import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import type { CloudWatch } from '../cloud-watch';
import { alarmResourceType } from './alarm';
import { dashboardResourceType } from './dashboard';

/** The resource types of CloudWatch; composite alarms and alarms on metric math are not among them yet. */
export const cloudWatchResourceTypes = (cloudWatch: CloudWatch, place: Place): ResourceType[] => [
  alarmResourceType(cloudWatch, place),
  dashboardResourceType(),
];
