import type { ServiceActions } from '../../kernel/front-door';
import type { EventsActions } from '../events-actions';
import type { EventsInternals } from '../events-desk';
import { createEventBus } from './create-event-bus';
import { deleteEventBus } from './delete-event-bus';
import { deleteRule } from './delete-rule';
import { describeEventBus } from './describe-event-bus';
import { describeRule } from './describe-rule';
import { disableRule } from './disable-rule';
import { enableRule } from './enable-rule';
import { listEventBuses } from './list-event-buses';
import { listRuleNamesByTarget } from './list-rule-names-by-target';
import { listRules } from './list-rules';
import { listTagsForResource } from './list-tags-for-resource';
import { listTargetsByRule } from './list-targets-by-rule';
import { putEvents } from './put-events';
import { putPermission } from './put-permission';
import { putRule } from './put-rule';
import { putTargets } from './put-targets';
import { removePermission } from './remove-permission';
import { removeTargets } from './remove-targets';
import { tagResource } from './tag-resource';
import { testEventPattern } from './test-event-pattern';
import { untagResource } from './untag-resource';
import { updateEventBus } from './update-event-bus';

/** Every API action by its name. */
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
