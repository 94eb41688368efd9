import { isTold, type Told, type Untold } from '../inventory/told';
import type { ResourceReading } from './resource-reading';

/** Something that a resource of its own gives to others, such as a policy to queues. */
export interface Attached<T> {
  readonly by: ResourceReading;
  /** What those it is given to are known by. */
  readonly to: Told<readonly Told<string>[]>;
  readonly value: T;
}

/** Whether it is given to whoever is known by this; undefined where that is not known. */
function isGivenTo({ by, to }: Attached<unknown>, known: string): boolean | undefined {
  const names = isTold(to) && to.every(isTold);
  if (isTold(to) && to.includes(known)) return by.isCertain ? true : undefined;
  return names ? false : undefined;
}

/** All that is given to one, or why that is not known. */
export function allGiven<T>(attached: readonly Attached<T>[], known: Told<string>): Told<readonly T[]> {
  if (!isTold(known)) return known;
  const given = attached.map(it => [it, isGivenTo(it, known)] as const);
  if (given.some(([, is]) => is === undefined)) return OPEN;
  return given.flatMap(([{ value }, is]) => (is ? [value] : []));
}

/** The only one that is given, undefined where none is. Of several, which one will hold is not known. */
export function onlyGiven<T>(attached: readonly Attached<Told<T>>[], known: Told<string>): Told<T | undefined> {
  const given = allGiven(attached, known);
  if (!isTold(given)) return given;
  return given.length > 1 ? SEVERAL : given[0];
}

const OPEN: Untold = { untold: 'may be given by a resource of which the template does not tell to whom, or whether' };
const SEVERAL: Untold = { untold: 'is given by several resources, of which one will hold' };
