import { isKnown, type MaybeKnown, type Unknown } from '../../template/maybe-known';
import { hasStandIn, isMadeUp, mayBecomeOne } from '../../template/stand-in';
import type { ResourceReading } from './app-reading';

/** Something that a resource of its own gives to others, such as a policy to queues. */
export interface Attached<T> {
  readonly by: ResourceReading;
  /** What those it is given to are known by. */
  readonly to: MaybeKnown<readonly MaybeKnown<string>[]>;
  readonly value: T;
}

/** Whether it is given to whoever is known by this; undefined where that is not known. */
function isGivenTo({ by, to }: Attached<unknown>, known: string): boolean | undefined {
  if (!isKnown(to)) return undefined;
  if (to.includes(known)) return by.isCertain ? true : undefined;
  return to.every(it => isKnown(it) && !mayBecomeOne(it, known)) ? false : undefined;
}

/** What is attached, by the last part of the names it goes to: an app has thousands of both. */
interface AttachedIndex {
  readonly named: ReadonlyMap<string, readonly Attached<unknown>[]>;
  /** What may go to anything, as far as last parts tell. */
  readonly open: readonly Attached<unknown>[];
}

const indices = new WeakMap<readonly Attached<unknown>[], AttachedIndex>();

/** What tells queues by their URLs, and others by their ARNs, apart within an account and a Region. */
function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1);
}

function isOpen(part: string): boolean {
  return hasStandIn(part) && !isMadeUp(part);
}

function indexOf(attached: readonly Attached<unknown>[]): AttachedIndex {
  const named = new Map<string, Attached<unknown>[]>();
  const open: Attached<unknown>[] = [];
  for (const it of attached) {
    const parts = isKnown(it.to) ? it.to.map(name => (isKnown(name) ? lastPart(name) : undefined)) : [undefined];
    if (parts.some(part => part === undefined || isOpen(part))) open.push(it);
    for (const part of new Set(parts)) {
      if (part === undefined) continue;
      const there = named.get(part);
      if (there) there.push(it);
      else named.set(part, [it]);
    }
  }
  return { named, open };
}

/** Of what is attached, what may be given to one. */
function near<T>(attached: readonly Attached<T>[], known: string): readonly Attached<T>[] {
  const part = lastPart(known);
  if (isOpen(part)) return attached;
  const index = indices.get(attached) ?? indexOf(attached);
  indices.set(attached, index);
  const found = new Set([...(index.named.get(part) ?? []), ...index.open]);
  return found.size === 0 ? [] : attached.filter(it => found.has(it));
}

/** All that is given to one, or why that is not known. */
export function allGiven<T>(attached: readonly Attached<T>[], known: MaybeKnown<string>): MaybeKnown<readonly T[]> {
  if (!isKnown(known)) return known;
  const given = near(attached, known).map(it => [it, isGivenTo(it, known)] as const);
  if (given.some(([, is]) => is === undefined)) return OPEN;
  return given.flatMap(([{ value }, is]) => (is ? [value] : []));
}

/** The only one that is given, undefined where none is. Of several, which one will hold is not known. */
export function onlyGiven<T>(
  attached: readonly Attached<MaybeKnown<T>>[],
  known: MaybeKnown<string>,
): MaybeKnown<T | undefined> {
  const given = allGiven(attached, known);
  if (!isKnown(given)) return given;
  return given.length > 1 ? SEVERAL : given[0];
}

const OPEN: Unknown = {
  unknownBecause: 'may be given by a resource of which the template does not tell to whom, or whether',
};
const SEVERAL: Unknown = { unknownBecause: 'is given by several resources, of which one will hold' };
