import { lastPart } from '../policy/arn';
import { BadInput } from './errors';

export function queueNameOf(arnOrUrl: string): string {
  return lastPart(arnOrUrl);
}

/** A resource that the user refers to by the name of its function. */
export interface Named {
  readonly name: string;
  /** Another name of it. @default - none */
  readonly path?: string;
}

/**
 * Finds the resource with a name, or the only one whose name contains the given text.
 * @param what the kind of resource, for the error: `relay`
 */
export function oneNamed<T extends Named>(name: string, all: readonly T[], what: string, region: string): T {
  const callings = (it: T) => (it.path === undefined ? [it.name] : [it.name, it.path]);
  const exact = all.find(it => callings(it).includes(name));
  if (exact) return exact;
  const part = name.toLowerCase();
  const matching = all.filter(it => callings(it).some(calling => calling.toLowerCase().includes(part)));
  const [first] = matching;
  if (first && matching.length === 1) return first;
  const names = (some: readonly T[]) => some.map(it => it.name).join(', ');
  if (first) throw new BadInput([`${name} matches several names: use one of ${names(matching)}`]);
  const there = all.length === 0 ? 'there is none' : `there are ${names(all)}`;
  throw new BadInput([`no ${what} in ${region} is named ${name}: ${there}`]);
}
