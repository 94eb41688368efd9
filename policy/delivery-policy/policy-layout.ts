import type { PolicyLevel } from './content-type';
import type { RetryPolicy } from './delivery-policy';

/** The three members of a delivery policy. */
export const POLICY_GROUPS = ['healthyRetryPolicy', 'throttlePolicy', 'requestPolicy'] as const;

export type PolicyGroup = (typeof POLICY_GROUPS)[number];

export type PolicyAttribute = keyof RetryPolicy | 'maxReceivesPerSecond' | 'headerContentType';

/** The nine attributes by the member they belong to, in the order SNS shows them. */
export const POLICY_ATTRIBUTES: Readonly<Record<PolicyGroup, readonly PolicyAttribute[]>> = {
  healthyRetryPolicy: [
    'minDelayTarget',
    'maxDelayTarget',
    'numRetries',
    'numMaxDelayRetries',
    'numNoDelayRetries',
    'numMinDelayRetries',
    'backoffFunction',
  ],
  throttlePolicy: ['maxReceivesPerSecond'],
  requestPolicy: ['headerContentType'],
};

/** The topic's switch that leaves its subscriptions' own policies without effect. */
export const OVERRIDES_SWITCH = 'disableSubscriptionOverrides';

/** Where one form of a delivery policy keeps its members, and what it calls them. */
export interface PolicyLayout {
  /**
   * The member everything else is wrapped in.
   * @default - nothing is wrapped
   */
  readonly wrapper?: string;
  readonly groups: Readonly<Record<PolicyGroup, string>>;
  /** Whether `disableSubscriptionOverrides` has a place in it. */
  readonly hasOverridesSwitch: boolean;
  /** Members of older days that SNS still shows, with the one value it shows them with. */
  readonly vestiges: Readonly<Record<string, unknown>>;
}

const PLAIN_GROUPS = {
  healthyRetryPolicy: 'healthyRetryPolicy',
  throttlePolicy: 'throttlePolicy',
  requestPolicy: 'requestPolicy',
};

/**
 * The two JSON forms SNS takes.
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-topic-attributes-delivery-policy-json.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/set-sub-attributes-delivery-policy-json.html
 */
export const DOCUMENT_LAYOUTS: Readonly<Record<PolicyLevel, PolicyLayout>> = {
  subscription: {
    groups: PLAIN_GROUPS,
    hasOverridesSwitch: false,
    vestiges: { sicklyRetryPolicy: null, guaranteed: false },
  },
  topic: {
    wrapper: 'http',
    groups: {
      healthyRetryPolicy: 'defaultHealthyRetryPolicy',
      throttlePolicy: 'defaultThrottlePolicy',
      requestPolicy: 'defaultRequestPolicy',
    },
    hasOverridesSwitch: true,
    vestiges: { defaultSicklyRetryPolicy: null },
  },
};

/** The settings of a program: the plain names at either level. */
export const SETTINGS_LAYOUTS: Readonly<Record<PolicyLevel, PolicyLayout>> = {
  subscription: { groups: PLAIN_GROUPS, hasOverridesSwitch: false, vestiges: {} },
  topic: { groups: PLAIN_GROUPS, hasOverridesSwitch: true, vestiges: {} },
};

/** The path of `members` below the wrapper, as errors name it. */
export function pathIn(layout: PolicyLayout, ...members: readonly string[]): string {
  return [...(layout.wrapper === undefined ? [] : [layout.wrapper]), ...members].join('.');
}

/** The path of an attribute, as errors name it: `healthyRetryPolicy.numRetries`. */
export function attributePath(layout: PolicyLayout, group: PolicyGroup, attribute: PolicyAttribute): string {
  return pathIn(layout, layout.groups[group], attribute);
}
