import { arnIn } from '../kernel/place';
import type { RequestChecks, Resource } from '../kernel/service-api';
import { busName, DEFAULT_BUS, type EventBuses } from './event-bus';
import type { Router } from './router';
import type { ScheduledRules } from './scheduled-rules';
import type { EventsContext } from './trace-events';

/** The parts of EventBridge that its API actions use. */
export class EventsState {
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
