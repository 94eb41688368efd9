import { isObject, type JsonObject } from '../policy/members';
import type { Problem } from './intrinsics';

/** What `Fn::FindInMap` finds in the mappings of a template. */
export function mappedValue(
  mappings: JsonObject,
  [name, topLevelKey, secondLevelKey]: readonly [string, string, string],
  problem: Problem,
): unknown {
  const mapping = mappings[name];
  const inner = isObject(mapping) && Object.hasOwn(mapping, topLevelKey) ? mapping[topLevelKey] : undefined;
  if (isObject(inner) && Object.hasOwn(inner, secondLevelKey)) return inner[secondLevelKey];
  return problem(`finds no ${topLevelKey}.${secondLevelKey} in the mapping ${name}`);
}
