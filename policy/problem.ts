/** One thing wrong with what a user wrote. */
export interface Problem {
  /** The user's property, as a path: `healthyRetryPolicy.numRetries`, or `DeliveryPolicy` for the whole document. */
  readonly property: string;
  /** The rule it breaks, so that `property` and `rule` read as a sentence: `must be less than or equal to 100`. */
  readonly rule: string;
  /** What was got; `undefined` when nothing was. */
  readonly value: unknown;
  /**
   * Whether the value is the default of a property the user left out.
   * @default false
   */
  readonly isDefault?: boolean;
  /**
   * What SNS itself answers, where that is known not to be `property` and `rule`.
   * @default - `property` and `rule`
   */
  readonly awsText?: string;
}

/** A construct's path fits whole. */
const LONGEST_VALUE = 120;

/** A value as an error shows it: JSON, cut short; a number JSON cannot say by its name; `nothing` for what is not there. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

/** The sentence a user reads: the property, the rule, and what was got. */
export function formatProblem({ property, rule, value, isDefault }: Problem): string {
  return `${property} ${rule}, got ${formatValue(value)}${isDefault ? ' (the default)' : ''}`;
}

/** What SNS would answer after its prefix `Invalid parameter: DeliveryPolicy: `, as far as that is known. */
export function awsText({ property, rule, awsText = `${property} ${rule}` }: Problem): string {
  return awsText;
}
