import { lastPart } from '../../policy/arn';
import { isKnown, type MaybeKnown, type Unknown } from '../../template/maybe-known';
import { hasStandIn, isGenerated, mayBeSame } from '../../template/stand-in';
import type { ResourceReading } from './app-reading';

/** Something that one resource attaches to others, such as a policy to queues. */
export interface Attached<T> {
  readonly by: ResourceReading;
  /** The names of the resources it is attached to. */
  readonly to: MaybeKnown<readonly MaybeKnown<string>[]>;
  readonly value: T;
}

/** Whether it is attached to the resource of this name; undefined if unknown. */
function isGivenTo({ by, to }: Attached<unknown>, known: string): boolean | undefined {
  if (!isKnown(to)) return undefined;
  if (to.includes(known)) return by.isCertain ? true : undefined;
  return to.every(it => isKnown(it) && !mayBeSame(it, known)) ? false : undefined;
}

/** Attachments by the last part of the names they go to: an app has thousands of both. */
interface AttachedIndex {
  readonly named: ReadonlyMap<string, readonly Attached<unknown>[]>;
  /** Attachments whose resource is unknown, because only the deployment knows the last part of its name. */
  readonly open: readonly Attached<unknown>[];
}

const indices = new WeakMap<readonly Attached<unknown>[], AttachedIndex>();

function isOpen(part: string): boolean {
  return hasStandIn(part) && !isGenerated(part);
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

/** The attachments that may go to a resource. */
function near<T>(attached: readonly Attached<T>[], known: string): readonly Attached<T>[] {
  const part = lastPart(known);
  if (isOpen(part)) return attached;
  const index = indices.get(attached) ?? indexOf(attached);
  indices.set(attached, index);
  const found = new Set([...(index.named.get(part) ?? []), ...index.open]);
  return found.size === 0 ? [] : attached.filter(it => found.has(it));
}

/** All attachments of a resource, or why they are unknown. */
export function allGiven<T>(attached: readonly Attached<T>[], known: MaybeKnown<string>): MaybeKnown<readonly T[]> {
  if (!isKnown(known)) return known;
  const given = near(attached, known).map(it => [it, isGivenTo(it, known)] as const);
  if (given.some(([, is]) => is === undefined)) return OPEN;
  return given.flatMap(([{ value }, is]) => (is ? [value] : []));
}

/**
 * The only attachment of a resource; undefined if it has none. If there are several, it is unknown which one takes
 * effect.
 */
export function onlyGiven<T>(
  attached: readonly Attached<MaybeKnown<T>>[],
  known: MaybeKnown<string>,
): MaybeKnown<T | undefined> {
  const given = allGiven(attached, known);
  if (!isKnown(given)) return given;
  return given.length > 1 ? SEVERAL : given[0];
}

const OPEN: Unknown = {
  unknownBecause: 'may be set by a resource whose target, or existence, the template does not state',
};
const SEVERAL: Unknown = { unknownBecause: 'is set by several resources, of which one takes effect' };
