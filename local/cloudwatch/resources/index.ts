import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import type { CloudWatch } from '../cloud-watch';
import { alarmResourceType, compositeAlarmResourceType } from './alarms';
import { dashboardResourceType } from './dashboard';
import { alarmMuteRuleResourceType } from './mute-rule';

export const cloudWatchResourceTypes = (cloudWatch: CloudWatch, place: Place): ResourceType[] => [
  alarmResourceType(cloudWatch, place),
  compositeAlarmResourceType(cloudWatch, place),
  dashboardResourceType(cloudWatch),
  alarmMuteRuleResourceType(cloudWatch, place),
];
