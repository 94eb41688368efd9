/** What the whole of a policy may spend. */
export interface SpendingLimit {
  readonly maxSeconds: number;
  /** What is summed up, as errors say it. */
  readonly of: string;
  /** How much longer than scheduled any delay may turn out. */
  readonly jitterPercent: number;
  /** What each attempt takes besides, the initial one included. */
  readonly attemptSeconds: number;
}

/** How far a policy may go, by who carries it out. */
export interface PolicyLimits {
  /** The longest delay before one retry. */
  readonly maxDelaySeconds: number;
  /** The most retries in all four phases together. */
  readonly maxRetries: number;
  /** The most retries of the no-delay phase. */
  readonly maxNoDelayRetries: number;
  readonly spending: SpendingLimit;
}

/**
 * What SNS takes. That the 3,600 seconds are the sum of the delays, without the time attempts themselves take, is our
 * choice: AWS gives the limit and not the sum.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const SNS_LIMITS: PolicyLimits = {
  maxDelaySeconds: 3_600,
  maxRetries: 100,
  maxNoDelayRetries: Number.POSITIVE_INFINITY,
  spending: {
    maxSeconds: 3_600,
    of: 'the delays of all its retries together',
    jitterPercent: 0,
    attemptSeconds: 0,
  },
};
