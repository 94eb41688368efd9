import type { EventBridge } from '@aws-sdk/client-eventbridge';
import { parseArn } from '../../policy/arn';
import { arnIn } from '../kernel/place';
import type { ActionFamily, RequestChecks, Resource } from '../kernel/service-api';
import { busName, DEFAULT_BUS, type EventBuses } from './event-bus';
import type { BusReceiver } from './ports';
import type { Router } from './router';
import type { ScheduledRules } from './scheduled-rules';
import type { EventsContext } from './trace-events';

export type EventsFamily = ActionFamily<EventsState, EventBridge>;

export type EventsAction<Name extends keyof EventsFamily> = Required<EventsFamily>[Name];

/** The parts of EventBridge that its API actions use. */
export class EventsState {
  constructor(
    readonly context: EventsContext,
    readonly checks: RequestChecks<'events'>,
    readonly buses: EventBuses,
    readonly router: Router,
    readonly scheduledRules: ScheduledRules,
    /** EventBridge in the account and Region of a bus. */
    private readonly receiverAt: (busArn: string) => BusReceiver,
  ) {}

  /**
   * Returns EventBridge in the account of a bus that `PutEvents` names, and the ARN of the bus.
   * **Assumption EVENTS-14:** A bus of another Region does not exist for `PutEvents`, which AWS documents only for rules.
   */
  receiverOf(nameOrArn: string | undefined): { readonly busArn: string; readonly receiver: BusReceiver } {
    const { arn: busArn } = this.busAt(nameOrArn);
    const { account, region } = this.context.place;
    const bus = parseArn(busArn);
    const isOfOtherAccount = bus !== undefined && bus.account !== account && bus.region === region;
    return { busArn, receiver: this.receiverAt(isOfOtherAccount ? busArn : '') };
  }

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  /** Returns the bus that an action is authorized on, whether or not it exists. */
  busAt(nameOrArn: string | undefined): Resource {
    const found = this.buses.find(nameOrArn);
    if (found) return found;
    const arn = nameOrArn?.startsWith('arn:') ? nameOrArn : undefined;
    return { arn: arn ?? arnIn(this.context.place, 'events', `event-bus/${busName(nameOrArn)}`) };
  }

  /** Returns the rule that an action is authorized on, whether or not it exists. */
  ruleAt(name = '', busNameOrArn?: string): Resource {
    const bus = busName(busNameOrArn);
    const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
    return { arn: arnIn(this.context.place, 'events', `rule/${path}`) };
  }
}
