import { FilterPolicy, FilterPolicyError, parsedObject, readAttributes } from '../../policy/filter';
import type { MatchItem } from '../../policy/fleet/fleet-items';
import type { FleetEvent } from '../../policy/fleet/fleet-messages';

/** A compiled filter takes about ten times as much as its text. */
const MOST_CHARACTERS = 4 * 1_024 * 1_024;

/** Compiled filters by scope and text: a tenant's endpoints have the same from event to event. */
export class Filters {
  private readonly kept = new Map<string, FilterPolicy>();
  private characters = 0;

  constructor(private readonly mostCharacters = MOST_CHARACTERS) {}

  get size(): number {
    return this.kept.size;
  }

  /** @throws FilterPolicyError */
  compiled({ filter, filterScope = 'MessageBody' }: Pick<MatchItem, 'filter' | 'filterScope'>): FilterPolicy {
    const text = JSON.stringify(filter);
    const key = `${filterScope} ${text}`;
    const known = this.kept.get(key);
    if (known) return known;
    const policy = new FilterPolicy(text, filterScope);
    this.characters += key.length;
    if (this.characters > this.mostCharacters) {
      this.kept.clear();
      this.characters = key.length;
    }
    this.kept.set(key, policy);
    return policy;
  }
}

const filters = new Filters();

/** Returns whether an endpoint wants the event, or why its filter cannot be applied. */
export function matcher({ data, attributes = {} }: FleetEvent): (match: MatchItem) => boolean | string {
  const document = parsedObject(data);
  const read = Object.entries(attributes).map(([name, { Type, Value }]) => [
    name,
    { DataType: Type, StringValue: Value },
  ]);
  const filterable = readAttributes(Object.fromEntries(read));
  return match => {
    if (!match.filter) return true;
    try {
      return filters.compiled(match).rejects({ filterable, document }) === undefined;
    } catch (error) {
      if (error instanceof FilterPolicyError) return `the filter of the endpoint is not valid: ${error.message}`;
      throw error;
    }
  };
}
