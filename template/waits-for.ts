import { isObject } from '../policy/members';
import { intrinsicName } from './intrinsics';
import type { DeclaredResource } from './template-stack';
import { scalarText } from './values';

const PLACEHOLDER = /\$\{([^}!.]+)[^}]*\}/g;

function namedInText(argument: unknown): string[] {
  const text: unknown = Array.isArray(argument) ? argument[0] : argument;
  return typeof text === 'string' ? [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()) : [];
}

/** The logical ids that intrinsic functions name by themselves. */
const NAMED: Readonly<Record<string, (argument: unknown) => unknown[]>> = {
  Ref: argument => [argument],
  'Fn::GetAtt': argument => [Array.isArray(argument) ? argument[0] : scalarText(argument)?.split('.')[0]],
  'Fn::Sub': namedInText,
};

/** Every name a value refers to, parameters included. */
function namesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const name = intrinsicName(value);
  const named = name === undefined ? [] : (NAMED[name]?.(value[name]) ?? []);
  return [...named, ...Object.values(value).flatMap(namesIn)];
}

/**
 * By logical id, the resources that CloudFormation makes before it: those it names, those it depends on, and what those wait
 * for. A resource that waits for itself is part of a circle.
 */
export function waitsFor(resources: ReadonlyMap<string, DeclaredResource>): ReadonlyMap<string, readonly string[]> {
  const direct = new Map(
    [...resources.values()].map(({ logicalId, properties, dependsOn }) => {
      const names = [...dependsOn, ...namesIn(properties)].filter(it => typeof it === 'string' && resources.has(it));
      return [logicalId, new Set(names as string[])] as const;
    }),
  );
  return new Map([...direct.keys()].map(logicalId => [logicalId, reachable(logicalId, direct)]));
}

function reachable(from: string, direct: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = new Set<string>();
  const open = [...(direct.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(direct.get(next) ?? []));
  }
  return [...reached].sort();
}
