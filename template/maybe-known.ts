/** A value that exists, or may exist, and cannot be read. */
export interface Unknown {
  /**
   * Why. It completes a sentence that begins with the property: `is a parameter of the template`, `belongs to another
   * account`.
   */
  readonly unknownBecause: string;
}

/** A value, or why it is unknown. A check reports nothing about unknown values. */
export type MaybeKnown<T> = T | Unknown;

export function isKnown<T>(value: MaybeKnown<T>): value is T {
  return !(typeof value === 'object' && value !== null && 'unknownBecause' in value);
}

/** The value; undefined if it is unknown. */
export function knownValue<T>(value: MaybeKnown<T>): T | undefined {
  return isKnown(value) ? value : undefined;
}

/** Applies `map` to a known value. */
export function mapKnown<T, Result>(value: MaybeKnown<T>, map: (value: T) => Result): MaybeKnown<Result> {
  return isKnown(value) ? map(value) : value;
}

export function allKnown<T>(values: readonly MaybeKnown<T>[]): MaybeKnown<readonly T[]> {
  return values.find((it): it is Extract<typeof it, Unknown> => !isKnown(it)) ?? values.filter(isKnown);
}

/** Applies `then`, whose result may be unknown, to a known value. */
export function thenKnown<T, U>(value: MaybeKnown<T>, then: (value: T) => MaybeKnown<U>): MaybeKnown<U> {
  return isKnown(value) ? then(value) : value;
}
