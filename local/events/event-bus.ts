import type { DeadLetterConfig } from '@aws-sdk/client-eventbridge';
import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/doorkeeper';
import { arnIn, type Place } from '../kernel/place';
import { ResourceTags } from '../kernel/resource-tags';
import type { Rule } from './rule';
import { TAG_RULES } from './tag-rules';

export const DEFAULT_BUS = 'default';

/** What `CreateEventBus` says of a bus, and `UpdateEventBus` may change. */
export interface BusDefinition {
  readonly description?: string | undefined;
  readonly deadLetterConfig?: DeadLetterConfig | undefined;
}

/** A statement of a bus's policy, each with an id of its own. */
export type BusStatement = Readonly<Record<string, unknown>> & { readonly Sid: string };

/** An event bus, its policy and its rules. */
export class EventBus implements Resource {
  readonly arn: string;
  /** By name. */
  readonly rules = new Map<string, Rule>();
  readonly tags = new ResourceTags(TAG_RULES);
  readonly statements = new Map<string, BusStatement>();
  modifiedAtMs: number;

  constructor(
    readonly name: string,
    private readonly place: Place,
    readonly createdAtMs: number,
    public definition: BusDefinition = {},
  ) {
    this.arn = arnIn(place, 'events', `event-bus/${name}`);
    this.modifiedAtMs = createdAtMs;
  }

  get isDefault(): boolean {
    return this.name === DEFAULT_BUS;
  }

  get policy(): PolicyDocument | undefined {
    return this.statements.size === 0 ? undefined : { Version: '2012-10-17', Statement: [...this.statements.values()] };
  }

  arnOfRule(name: string): string {
    return arnIn(this.place, 'events', `rule/${this.isDefault ? '' : `${this.name}/`}${name}`);
  }

  /** In the order of their names, as EventBridge lists them. */
  get rulesInOrder(): readonly Rule[] {
    return [...this.rules.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
