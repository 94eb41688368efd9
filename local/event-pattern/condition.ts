/** A value an event shows for a field. */
export type FieldValue = string | number | boolean | null;

/** Whether one value is as wanted. */
export type Condition = (value: FieldValue) => boolean;

/** Makes a condition on strings from the string an operator is given; a value of any other kind does not satisfy it. */
export type StringOperator = (wanted: string) => Condition;

/** The condition that a value is a string, and that `test` holds for it. */
export function onString(test: (value: string) => boolean): Condition {
  return value => typeof value === 'string' && test(value);
}

export const startsWith: StringOperator = wanted => onString(value => value.startsWith(wanted));
export const endsWith: StringOperator = wanted => onString(value => value.endsWith(wanted));

export const equalsIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase() === lowerCase);
};

export const startsWithIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase().startsWith(lowerCase));
};

export const endsWithIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase().endsWith(lowerCase));
};

export function not(condition: Condition): Condition {
  return value => !condition(value);
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return value => conditions.some(holds => holds(value));
}
