import type { EventBridge } from '@aws-sdk/client-eventbridge';
import type { SdkActions } from '../../kernel/service-api';
import { createEventBus, deleteEventBus, describeEventBus, listEventBuses, updateEventBus } from './event-buses';
import { putPermission, removePermission } from './permissions';
import { putEvents } from './put-events';
import { putRule } from './put-rule';
import { deleteRule, describeRule, disableRule, enableRule, listRuleNamesByTarget, listRules } from './rules';
import { listTagsForResource, tagResource, untagResource } from './tags';
import { listTargetsByRule, putTargets, removeTargets } from './targets';
import { testEventPattern } from './test-event-pattern';

/**
 * The API actions of EventBridge that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Operations.html
 */
export const EVENTS_ACTIONS = {
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

export type EventsActionName = keyof typeof EVENTS_ACTIONS;

/** The signatures of the implemented actions. */
export type EventsActions = SdkActions<EventBridge, EventsActionName>;
