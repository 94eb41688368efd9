import type { ServiceActions } from '../../kernel/service-api';
import type { EventsActions, EventsInternals } from '../events-actions';
import { createEventBus, deleteEventBus, describeEventBus, listEventBuses, updateEventBus } from './event-buses';
import { putPermission, removePermission } from './permissions';
import { putEvents } from './put-events';
import { putRule } from './put-rule';
import { deleteRule, describeRule, disableRule, enableRule, listRuleNamesByTarget, listRules } from './rules';
import { listTagsForResource, tagResource, untagResource } from './tags';
import { listTargetsByRule, putTargets, removeTargets } from './targets';
import { testEventPattern } from './test-event-pattern';

/** All API actions by name. */
export const EVENTS_ACTIONS: ServiceActions<EventsInternals, EventsActions> = {
  CreateEventBus: createEventBus,
  DeleteEventBus: deleteEventBus,
  DeleteRule: deleteRule,
  DescribeEventBus: describeEventBus,
  DescribeRule: describeRule,
  DisableRule: disableRule,
  EnableRule: enableRule,
  ListEventBuses: listEventBuses,
  ListRuleNamesByTarget: listRuleNamesByTarget,
  ListRules: listRules,
  ListTagsForResource: listTagsForResource,
  ListTargetsByRule: listTargetsByRule,
  PutEvents: putEvents,
  PutPermission: putPermission,
  PutRule: putRule,
  PutTargets: putTargets,
  RemovePermission: removePermission,
  RemoveTargets: removeTargets,
  TagResource: tagResource,
  TestEventPattern: testEventPattern,
  UntagResource: untagResource,
  UpdateEventBus: updateEventBus,
};
