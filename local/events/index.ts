import type { ResourceType } from '../cloudformation/resource-type';
import type { EventBridge } from './event-bridge';
import { eventBusPolicyResourceType, eventBusResourceType, ruleResourceType } from './resources';

export { EventBridge } from './event-bridge';

export type { EventsTraceEvent } from './trace-events';

/** The CloudFormation resource types of EventBridge, without archives, connections and API destinations. */
export function eventsResourceTypes(events: EventBridge): readonly ResourceType[] {
  return [eventBusResourceType(events), eventBusPolicyResourceType(events), ruleResourceType(events)];
}
