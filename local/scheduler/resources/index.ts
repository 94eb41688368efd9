import type { ResourceType } from '../../cloudformation/resource-type';
import type { EventBridgeScheduler } from '../event-bridge-scheduler';
import { scheduleResourceType } from './schedule';
import { scheduleGroupResourceType } from './schedule-group';

/** The CloudFormation resource types of EventBridge Scheduler. */
export function schedulerResourceTypes(scheduler: EventBridgeScheduler): readonly ResourceType[] {
  return [scheduleResourceType(scheduler), scheduleGroupResourceType(scheduler)];
}
