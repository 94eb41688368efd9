import { type Item, toValue } from './attribute-values';
import type { ExpressionMembers } from './aws-calls';

/** The names and values of expressions, under placeholders: many names are reserved words of DynamoDB. */
export class Placeholders {
  private readonly names: Record<string, string> = {};
  private readonly values: Item = {};

  name(attribute: string): string {
    this.names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = toValue(value);
    return placeholder;
  }

  /** `#version = :v0`; that the attribute does not exist if the value is undefined. */
  is(attribute: string, value: unknown): string {
    const name = this.name(attribute);
    return value === undefined ? `attribute_not_exists(${name})` : `${name} = ${this.value(value)}`;
  }

  /** `SET` of what has a value, and `REMOVE` of what has none. */
  assign(members: object): string {
    const entries = Object.entries(members);
    const set = entries.filter(([, value]) => value !== undefined);
    const removed = entries.filter(([, value]) => value === undefined).map(([name]) => this.name(name));
    return [
      `SET ${set.map(([name, value]) => `${this.name(name)} = ${this.value(value)}`).join(', ')}`,
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
    ].join(' ');
  }

  get members(): ExpressionMembers {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}
