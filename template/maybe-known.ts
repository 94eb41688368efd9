/** Something that is there, or may be, and cannot be read. */
export interface Unknown {
  /** Why: `is a parameter of the template`, `belongs to another account`. It completes a sentence that begins with the thing. */
  readonly unknownBecause: string;
}

/** A value, or why it is not known. A check says nothing of what it is not told. */
export type MaybeKnown<T> = T | Unknown;

/** Whether a value is known. */
export function isKnown<T>(value: MaybeKnown<T>): value is T {
  return !(typeof value === 'object' && value !== null && 'unknownBecause' in value);
}

/** The value, or undefined where it is not known. */
export function knownValue<T>(value: MaybeKnown<T>): T | undefined {
  return isKnown(value) ? value : undefined;
}

/** What follows from a value, where it is known. */
export function mapKnown<T, Result>(value: MaybeKnown<T>, map: (value: T) => Result): MaybeKnown<Result> {
  return isKnown(value) ? map(value) : value;
}

/** All of them, or why one of them is not known. */
export function allKnown<T>(values: readonly MaybeKnown<T>[]): MaybeKnown<readonly T[]> {
  return values.find((it): it is Extract<typeof it, Unknown> => !isKnown(it)) ?? values.filter(isKnown);
}

/** What becomes of a value that is known. */
export function thenKnown<T, U>(value: MaybeKnown<T>, then: (value: T) => MaybeKnown<U>): MaybeKnown<U> {
  return isKnown(value) ? then(value) : value;
}
