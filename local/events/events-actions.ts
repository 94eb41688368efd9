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
import { arnIn } from '../kernel/place';
import type { Action, InputOf, OutputOf, RequestChecks, Resource, ServiceAction } from '../kernel/service-api';
import { busName, DEFAULT_BUS, type EventBuses } from './event-bus';
import type { Router } from './router';
import type { ScheduledRules } from './scheduled-rules';
import type { EventsContext } from './trace-events';

/** An empty response. */
export type Done = Readonly<Record<string, never>>;

/**
 * The API actions of the embedded EventBridge, with their inputs and outputs.
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

/** One API action: its permission, the resource that permission is checked on, and its implementation. */
export type EventsAction<Name extends EventsActionName> = ServiceAction<
  EventsInternals,
  InputOf<EventsActions[Name]>,
  OutputOf<EventsActions[Name]>
>;

/** The parts of EventBridge that its API actions use. */
export class EventsInternals {
  constructor(
    readonly context: EventsContext,
    readonly checks: RequestChecks<'events'>,
    readonly buses: EventBuses,
    readonly router: Router,
    readonly scheduledRules: ScheduledRules,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** Returns the bus that an action is authorized on, whether or not it exists. */
  busAt(nameOrArn: string | undefined): Resource {
    const name = busName(nameOrArn);
    return this.buses.find(name) ?? { arn: arnIn(this.context.place, 'events', `event-bus/${name}`) };
  }

  /** Returns the rule that an action is authorized on, whether or not it exists. */
  ruleAt(name = '', busNameOrArn?: string): Resource {
    const bus = busName(busNameOrArn);
    const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
    return { arn: arnIn(this.context.place, 'events', `rule/${path}`) };
  }
}
