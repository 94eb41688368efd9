interface Comparison {
  /** Is the data point beyond the threshold? */
  readonly breaches: (value: number, threshold: number) => boolean;
  /** How CloudWatch words it: "was … the threshold". */
  readonly wording: string;
}

/**
 * How an alarm compares a data point with its threshold. The three operators of anomaly detection, which AWS has beside these, are not implemented.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
export const COMPARISONS = {
  GreaterThanThreshold: { breaches: (value, threshold) => value > threshold, wording: 'greater than' },
  GreaterThanOrEqualToThreshold: {
    breaches: (value, threshold) => value >= threshold,
    wording: 'greater than or equal to',
  },
  LessThanThreshold: { breaches: (value, threshold) => value < threshold, wording: 'less than' },
  LessThanOrEqualToThreshold: { breaches: (value, threshold) => value <= threshold, wording: 'less than or equal to' },
} as const satisfies Record<string, Comparison>;

export type ComparisonOperator = keyof typeof COMPARISONS;

export const isComparisonOperator = (name: string): name is ComparisonOperator => Object.hasOwn(COMPARISONS, name);

/** The operators of anomaly detection. */
export const RANGE_COMPARISONS: readonly string[] = [
  'LessThanLowerOrGreaterThanUpperThreshold',
  'LessThanLowerThreshold',
  'GreaterThanUpperThreshold',
];
