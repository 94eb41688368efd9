import type { ResourceType } from '../../cloudformation/resource-type';
import type { EventBridge } from '../event-bridge';
import { eventBusResourceType } from './event-bus';
import { eventBusPolicyResourceType } from './event-bus-policy';
import { ruleResourceType } from './rule';

/** The CloudFormation resource types of EventBridge; archives, connections and API destinations are not among them. */
export function eventsResourceTypes(events: EventBridge): readonly ResourceType[] {
  return [eventBusResourceType(events), eventBusPolicyResourceType(events), ruleResourceType(events)];
}
