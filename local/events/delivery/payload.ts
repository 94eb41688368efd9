import type { BusEvent } from '../bus-event';
import type { Rule } from '../rule';
import type { Target } from '../target';

/**
 * What a target gets: its own input, a part of the event, what its template makes of it, or the whole event. A path that leads
 * nowhere gives `null`, which is our choice.
 */
export function payloadFor(target: Target, event: BusEvent, rule: Rule): string {
  const { definition, inputPath, transformation } = target;
  if (definition.Input !== undefined) return definition.Input;
  if (transformation) return transformation.apply(event, rule);
  return inputPath ? JSON.stringify(inputPath.read(event.members) ?? null) : event.json;
}
