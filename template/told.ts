/** Something that is there, or may be, and cannot be read. */
export interface Untold {
  /** Why: `is a parameter of the template`, `belongs to another account`. It completes a sentence that begins with the thing. */
  readonly untold: string;
}

/** A value, or why it is not known. A check says nothing of what it is not told. */
export type Told<T> = T | Untold;

/** Whether a value is known. */
export function isTold<T>(value: Told<T>): value is T {
  return !(typeof value === 'object' && value !== null && 'untold' in value);
}

/** The value, or undefined where it is not known. */
export function toldOf<T>(value: Told<T>): T | undefined {
  return isTold(value) ? value : undefined;
}

/** What follows from a value, where it is known. */
export function mapTold<T, Result>(value: Told<T>, map: (value: T) => Result): Told<Result> {
  return isTold(value) ? map(value) : value;
}

/** All of them, or why one of them is not known. */
export function allTold<T>(values: readonly Told<T>[]): Told<readonly T[]> {
  return values.find((it): it is Extract<typeof it, Untold> => !isTold(it)) ?? values.filter(isTold);
}

/** What becomes of a value that is known. */
export function thenTold<T, U>(value: Told<T>, then: (value: T) => Told<U>): Told<U> {
  return isTold(value) ? then(value) : value;
}
