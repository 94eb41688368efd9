import { administrator, type Caller } from '../kernel/caller';
import type { JsonObject } from '../kernel/json';
import { type Api, accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import type { EventsActionName, EventsActions } from './actions';
import { EVENTS_ACTIONS } from './actions';
import { BusEvent } from './bus-event';
import { EventBuses, type Rule } from './event-bus';
import { EventsState } from './events-state';
import type { BusReceiver, EventsDependencies, ServiceEvent } from './ports';
import { Router } from './router';
import { ScheduledRules } from './scheduled-rules';
import type { EventsContext } from './trace-events';

/**
 * Amazon EventBridge: event buses and their rules. It refuses unsupported actions by name: archives and replays, API
 * destinations and connections, partner events and global endpoints.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/Welcome.html
 */
export class EventBridge implements Api<EventsActions>, BusReceiver {
  private readonly checks: RequestChecks<'events'>;
  private readonly buses: EventBuses;
  private readonly router: Router;
  private readonly scheduledRules: ScheduledRules;
  private readonly api: ServiceApi<EventsState, EventsActions>;

  constructor(
    private readonly context: EventsContext,
    private readonly dependencies: EventsDependencies,
  ) {
    const { place, timeline, random } = context;
    this.checks = new RequestChecks('events', context, accessDenied(place, 'AccessDeniedException', 400));
    const { checks } = this;
    this.buses = new EventBuses(place, timeline.nowMs);
    this.router = new Router(context, {
      ...dependencies,
      random,
      sendOn: (busArn, caller, event) => this.receiverAt(busArn).receive(busArn, caller, event),
    });
    this.scheduledRules = new ScheduledRules(context, this.router);
    const state = new EventsState(context, checks, this.buses, this.router, this.scheduledRules, name =>
      this.receiverAt(name),
    );
    this.api = new ServiceApi<EventsState, EventsActions>(checks, EVENTS_ACTIONS, state);
  }

  call<Name extends EventsActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<EventsActions[Name]>,
  ): OutputOf<EventsActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether this EventBridge supports an API action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  receive(busArn: string, caller: Caller, event: BusEvent): void {
    const bus = this.buses.get(busArn);
    this.checks.checkAll('PutEvents', 'events:PutEvents', caller, bus);
    this.router.accept(bus, event);
  }

  checkMayPut(busArn: string, caller: Caller): void {
    this.checks.checkAccess(caller, 'events:PutEvents', this.buses.find(busArn) ?? { arn: busArn });
  }

  put(busArn: string, event: BusEvent): void {
    const bus = this.buses.find(busArn);
    if (bus) this.router.accept(bus, event);
  }

  /**
   * Puts an event of an AWS service on a bus, such as `CloudWatch Alarm State Change`.
   *
   * @param bus an existing bus, by name or ARN. @default - the default bus
   */
  emit({ source, detailType, resources = [], detail }: ServiceEvent, bus?: string): void {
    const { place, random, timeline } = this.context;
    const event = new BusEvent({
      id: random.uuid(),
      detailType,
      source,
      account: place.account,
      timeMs: timeline.nowMs,
      region: place.region,
      resources,
      detail,
      ingestedAtMs: timeline.nowMs,
    });
    this.router.accept(this.buses.get(bus), event);
  }

  /** Whether a bus of this name or ARN exists. */
  hasBus(bus: string): boolean {
    return this.buses.find(bus) !== undefined;
  }

  /** Whether a bus has a rule of this name. @param bus name or ARN @default - the default bus */
  hasRule(ruleName: string, bus?: string): boolean {
    return this.buses.find(bus)?.rulesInOrder.some(({ name }) => name === ruleName) ?? false;
  }

  /** The rules of all buses. */
  rules(): readonly Rule[] {
    return this.buses.rules;
  }

  /** Runs a rule of a schedule as if its time had come. Nothing happens if the rule does not exist or is disabled. */
  runRule(ruleArn: string, detail: JsonObject): void {
    const rule = this.buses.rules.find(({ arn }) => arn === ruleArn);
    if (rule?.definition.isEnabled) this.router.trigger(rule, this.scheduledRules.scheduledEvent(rule, detail));
  }

  /** An administrator of the account, as which CloudFormation calls. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }

  /** @param busArn empty for a bus of this account and Region */
  private receiverAt(busArn: string): BusReceiver {
    return (busArn === '' ? undefined : this.dependencies.busesAt?.(busArn)) ?? this;
  }
}
