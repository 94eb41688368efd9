import type {
  CreateEventBusRequest,
  CreateEventBusResponse,
  DeleteEventBusRequest,
  DeleteRuleRequest,
  DescribeEventBusRequest,
  DescribeEventBusResponse,
  DescribeRuleRequest,
  DescribeRuleResponse,
  DisableRuleRequest,
  EnableRuleRequest,
  ListEventBusesRequest,
  ListEventBusesResponse,
  ListRuleNamesByTargetRequest,
  ListRuleNamesByTargetResponse,
  ListRulesRequest,
  ListRulesResponse,
  ListTagsForResourceRequest,
  ListTagsForResourceResponse,
  ListTargetsByRuleRequest,
  ListTargetsByRuleResponse,
  PutEventsRequest,
  PutEventsResponse,
  PutPermissionRequest,
  PutRuleRequest,
  PutRuleResponse,
  PutTargetsRequest,
  PutTargetsResponse,
  RemovePermissionRequest,
  RemoveTargetsRequest,
  RemoveTargetsResponse,
  TagResourceRequest,
  TestEventPatternRequest,
  TestEventPatternResponse,
  UntagResourceRequest,
  UpdateEventBusRequest,
  UpdateEventBusResponse,
} from '@aws-sdk/client-eventbridge';
import type { Action, InputOf, OutputOf } from '../kernel/api';
import type { ServiceAction } from '../kernel/front-door';
import type { EventsInternals } from './events-desk';

/** An answer that says nothing but that it is done. */
export type Done = Readonly<Record<string, never>>;

/**
 * The actions of EventBridge, by AWS's names, with the shapes its clients know.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Operations.html
 */
export type EventsActions = {
  readonly CreateEventBus: Action<CreateEventBusRequest, CreateEventBusResponse>;
  readonly DeleteEventBus: Action<DeleteEventBusRequest, Done>;
  readonly DeleteRule: Action<DeleteRuleRequest, Done>;
  readonly DescribeEventBus: Action<DescribeEventBusRequest, DescribeEventBusResponse>;
  readonly DescribeRule: Action<DescribeRuleRequest, DescribeRuleResponse>;
  readonly DisableRule: Action<DisableRuleRequest, Done>;
  readonly EnableRule: Action<EnableRuleRequest, Done>;
  readonly ListEventBuses: Action<ListEventBusesRequest, ListEventBusesResponse>;
  readonly ListRuleNamesByTarget: Action<ListRuleNamesByTargetRequest, ListRuleNamesByTargetResponse>;
  readonly ListRules: Action<ListRulesRequest, ListRulesResponse>;
  readonly ListTagsForResource: Action<ListTagsForResourceRequest, ListTagsForResourceResponse>;
  readonly ListTargetsByRule: Action<ListTargetsByRuleRequest, ListTargetsByRuleResponse>;
  readonly PutEvents: Action<PutEventsRequest, PutEventsResponse>;
  readonly PutPermission: Action<PutPermissionRequest, Done>;
  readonly PutRule: Action<PutRuleRequest, PutRuleResponse>;
  readonly PutTargets: Action<PutTargetsRequest, PutTargetsResponse>;
  readonly RemovePermission: Action<RemovePermissionRequest, Done>;
  readonly RemoveTargets: Action<RemoveTargetsRequest, RemoveTargetsResponse>;
  readonly TagResource: Action<TagResourceRequest, Done>;
  readonly TestEventPattern: Action<TestEventPatternRequest, TestEventPatternResponse>;
  readonly UntagResource: Action<UntagResourceRequest, Done>;
  readonly UpdateEventBus: Action<UpdateEventBusRequest, UpdateEventBusResponse>;
};

export type EventsActionName = keyof EventsActions;

/** One API action: who may call it, what it is about, and what it does. */
export type EventsAction<Name extends EventsActionName> = ServiceAction<
  EventsInternals,
  InputOf<EventsActions[Name]>,
  OutputOf<EventsActions[Name]>
>;
