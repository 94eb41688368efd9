import { isDeepStrictEqual } from 'node:util';
import { scalarText } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import { schemaOf } from './resource-schemas';

/** How the properties of a resource differ from those it was last deployed with. */
export interface PropertyChanges {
  readonly changed: readonly string[];
  /** Those whose change replaces the resource: create-only properties, nested ones too. */
  readonly replacing: readonly string[];
}

/**
 * Compares properties as CloudFormation does: numbers and booleans as they are written. The registry's schema says
 * which changes replace the resource.
 *
 * **Assumption CFN-5:** A property that only sometimes needs a replacement never does. For most of them AWS describes
 * the cases in prose. None of the types that the embedded AWS simulates has such a property.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
 */
export function propertyChanges(type: string, before: JsonObject, after: JsonObject): PropertyChanges {
  const [old, now] = [asText(before), asText(after)];
  const differs = (path: readonly string[]) => !isDeepStrictEqual(valuesAt(old, path), valuesAt(now, path));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return {
    changed: names.filter(name => differs([name])),
    replacing: (schemaOf(type)?.createOnly ?? []).filter(path => differs(path.split('.'))),
  };
}

/** The name that both versions of a template give to a resource itself, such as `QueueName` of a queue. */
export function customName(type: string, before: JsonObject, after: JsonObject): string | undefined {
  const own = ['Name', `${type.split('::').at(-1)}Name`];
  const isKept = (name: string) => typeof after[name] === 'string' && after[name] === before[name];
  const name = (schemaOf(type)?.createOnly ?? []).find(path => own.includes(path) && isKept(path));
  return name === undefined ? undefined : String(after[name]);
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, asText(it)]));
  return scalarText(value) ?? value;
}

/** The values at a path. `*` stands for every item of a list or member of an object. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (first === '*') {
    const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    return items.map(item => valuesAt(item, rest));
  }
  return isObject(value) ? valuesAt(value[first], rest) : undefined;
}
