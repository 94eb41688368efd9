export interface Problem {
  /** The user's property, as a path: `healthyRetryPolicy.numRetries`, or `DeliveryPolicy` for the whole document. */
  readonly property: string;
  /** The rule it breaks, so that `property` and `rule` read as a sentence: `must be less than or equal to 100`. */
  readonly rule: string;
  /** The value found; `undefined` when the property is missing. */
  readonly value: unknown;
  /**
   * Whether the value is the default of a property the user left out.
   * @default false
   */
  readonly isDefault?: boolean;
  /**
   * The error text of SNS, where it is known and differs from `property` and `rule`.
   * @default - `property` and `rule`
   */
  readonly awsText?: string;
}

/** Long enough for the whole path of a construct. */
const LONGEST_VALUE = 120;

/**
 * Formats a value for an error: JSON, cut at 120 characters. NaN and infinity are named. A missing value is `nothing`.
 */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

/** Formats a problem as one sentence: the property, the rule and the value found. */
export function formatProblem({ property, rule, value, isDefault }: Problem): string {
  return `${property} ${rule}, got ${formatValue(value)}${isDefault ? ' (the default)' : ''}`;
}

/** The text that SNS returns after its prefix `Invalid parameter: DeliveryPolicy: `, where it is known. */
export function awsText({ property, rule, awsText = `${property} ${rule}` }: Problem): string {
  return awsText;
}
