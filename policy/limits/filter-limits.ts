/**
 * What SNS takes for a subscription's filter policy at most.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
export const FILTER_LIMITS = {
  /** At the top of the policy. */
  names: 5,
  /** Values of one name times values of the next, and so on; a nested one counts as often as it is deep. */
  combinations: 150,
  bytes: 262_144,
} as const;
