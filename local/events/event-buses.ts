import { parseArn } from '../../policy/arn';
import type { Place } from '../kernel/place';
import { busDoesNotExist, resourceAlreadyExists, ruleDoesNotExist } from './errors';
import { type BusDefinition, DEFAULT_BUS, EventBus } from './event-bus';
import type { Rule } from './rule';

/** The name of a bus given by its name or its ARN. @default 'default' */
export function busName(nameOrArn: string = DEFAULT_BUS): string {
  return parseArn(nameOrArn)?.resource.replace(/^event-bus\//, '') ?? nameOrArn;
}

/** Every event bus of the account in the Region; the default one is always there. */
export class EventBuses {
  private readonly byName = new Map<string, EventBus>();

  constructor(
    private readonly place: Place,
    nowMs: number,
  ) {
    this.create(DEFAULT_BUS, nowMs);
  }

  /** In the order of their names. */
  get all(): readonly EventBus[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Every rule, bus by bus. */
  get rules(): readonly Rule[] {
    return this.all.flatMap(({ rulesInOrder }) => rulesInOrder);
  }

  find(nameOrArn?: string): EventBus | undefined {
    return this.byName.get(busName(nameOrArn));
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(nameOrArn?: string): EventBus {
    const bus = this.find(nameOrArn);
    if (!bus) throw busDoesNotExist(busName(nameOrArn));
    return bus;
  }

  /** @throws AwsError `ResourceNotFoundException` for want of the bus, or of the rule */
  rule(name: string, nameOrArn?: string): Rule {
    const bus = this.get(nameOrArn);
    const rule = bus.rules.get(name);
    if (!rule) throw ruleDoesNotExist(name, bus.name);
    return rule;
  }

  /** @throws AwsError `ResourceAlreadyExistsException` */
  create(name: string, nowMs: number, definition?: BusDefinition): EventBus {
    if (this.byName.has(name)) throw resourceAlreadyExists(`Event bus ${name} already exists.`);
    const bus = new EventBus(name, this.place, nowMs, definition);
    this.byName.set(name, bus);
    return bus;
  }

  delete(bus: EventBus): void {
    this.byName.delete(bus.name);
  }
}
