import { BadInput } from './errors';

/** The last part of a queue's ARN or URL. */
export function queueNameOf(arnOrUrl: string): string {
  return arnOrUrl.split(/[:/]/).at(-1) ?? '';
}

/** As many as a line holds. Our choice. */
const MOST_REPORTED = 5;

/** Share of the pairs of letters two names must have in common to be near. Our choice: a letter or two may be wrong, or a word. */
const NEAR = 0.5;

function pairsOf(text: string): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** How much two names have in common, by their pairs of letters: 1 where they are the same. */
function likeness(one: string, other: string): number {
  const pairs = pairsOf(one);
  const left = [...pairsOf(other)];
  const all = pairs.length + left.length;
  let common = 0;
  for (const pair of pairs) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    common += 2;
  }
  return all === 0 ? 0 : common / all;
}

/** The names somebody may have meant who gave this one, the nearest first: those it is a part of, and those that are spelled alike. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const meant = name.toLowerCase();
  return names
    .map(it => ({ it, near: likeness(meant, it.toLowerCase()), holds: it.toLowerCase().includes(meant) }))
    .filter(({ near, holds }) => holds || near >= NEAR)
    .sort((one, other) => Number(other.holds) - Number(one.holds) || other.near - one.near)
    .slice(0, MOST_REPORTED)
    .map(({ it }) => it);
}

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
