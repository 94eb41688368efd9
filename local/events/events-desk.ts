import type { RequestChecks, Resource } from '../kernel/doorkeeper';
import { arnIn } from '../kernel/place';
import type { EventsContext } from './context';
import type { Router } from './delivery/router';
import { DEFAULT_BUS } from './event-bus';
import { busName, type EventBuses } from './event-buses';
import type { ScheduledRules } from './scheduled-rules';

/** What the API actions work on. */
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

  /** The bus an action is about, whether or not there is one. */
  busAt(nameOrArn: string | undefined): Resource {
    const name = busName(nameOrArn);
    return this.buses.find(name) ?? { arn: arnIn(this.context.place, 'events', `event-bus/${name}`) };
  }

  /** The rule an action is about, whether or not there is one. */
  ruleAt(name = '', busNameOrArn?: string): Resource {
    const bus = busName(busNameOrArn);
    const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
    return { arn: arnIn(this.context.place, 'events', `rule/${path}`) };
  }
}
