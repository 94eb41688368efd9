import type { Caller } from '../kernel/caller';
import type { JsonObject } from '../kernel/json';
import { accessDenied, RequestChecks, ServiceApi } from '../kernel/service-api';
import { EVENTS_ACTIONS, type EventsActions } from './actions';
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
export class EventBridge extends ServiceApi<EventsState, EventsActions> implements BusReceiver {
  constructor(
    private readonly context: EventsContext,
    private readonly dependencies: EventsDependencies,
  ) {
    const { place, timeline, random } = context;
    const checks = new RequestChecks('events', context, accessDenied(place, 'AccessDeniedException', 400));
    const buses = new EventBuses(place, timeline.nowMs);
    const router = new Router(context, {
      ...dependencies,
      random,
      sendOn: (busArn, caller, event) => this.receiverAt(busArn).receive(busArn, caller, event),
    });
    const scheduledRules = new ScheduledRules(context, router);
    const receiverAt = (bus: string) => this.receiverAt(bus);
    super(checks, EVENTS_ACTIONS, new EventsState(context, checks, buses, router, scheduledRules, receiverAt));
  }

  receive(busArn: string, caller: Caller, event: BusEvent): void {
    const bus = this.state.buses.get(busArn);
    this.checks.checkAll('PutEvents', 'events:PutEvents', caller, bus);
    this.state.router.accept(bus, event);
  }

  checkMayPut(busArn: string, caller: Caller): void {
    this.checks.checkAccess(caller, 'events:PutEvents', this.state.buses.find(busArn) ?? { arn: busArn });
  }

  put(busArn: string, event: BusEvent): void {
    const bus = this.state.buses.find(busArn);
    if (bus) this.state.router.accept(bus, event);
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
    this.state.router.accept(this.state.buses.get(bus), event);
  }

  hasBus(bus: string): boolean {
    return this.state.buses.find(bus) !== undefined;
  }

  /** Whether a bus has a rule of this name. @param bus name or ARN @default - the default bus */
  hasRule(ruleName: string, bus?: string): boolean {
    return this.state.buses.find(bus)?.rulesInOrder.some(({ name }) => name === ruleName) ?? false;
  }

  rules(): readonly Rule[] {
    return this.state.buses.rules;
  }

  /** Runs a rule of a schedule as if its time had come. Nothing happens if the rule does not exist or is disabled. */
  runRule(ruleArn: string, detail: JsonObject): void {
    const rule = this.state.buses.rules.find(({ arn }) => arn === ruleArn);
    if (rule?.definition.isEnabled)
      this.state.router.trigger(rule, this.state.scheduledRules.scheduledEvent(rule, detail));
  }

  /** @param busArn empty for a bus of this account and Region */
  private receiverAt(busArn: string): BusReceiver {
    return (busArn === '' ? undefined : this.dependencies.busesAt?.(busArn)) ?? this;
  }
}
