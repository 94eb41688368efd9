import { BadInput } from './errors';

/** Something a user names by its function. */
export interface Named {
  /** Its function's name. */
  readonly name: string;
  /** What else it is called. @default - nothing */
  readonly path?: string;
}

/**
 * The one with this name, or with this part of a name that no other has.
 * @param what what it is, for whoever names none: `relay`
 * @throws BadInput when there is none, or more than one
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
  if (first) throw new BadInput([`${name} is a part of several names; say which: ${names(matching)}`]);
  const there = all.length === 0 ? 'there is none' : `there are ${names(all)}`;
  throw new BadInput([`no ${what} in ${region} is named ${name}: ${there}`]);
}
