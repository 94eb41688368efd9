import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  PRESETS,
  type PresetName,
  type RetryPolicy,
  withDefaults,
} from '../../policy/delivery-policy/delivery-policy';
import { type ParsedPolicy, parsePolicyDocument } from '../../policy/delivery-policy/policy-document';
import { DEMANDED_ATTRIBUTES } from '../../policy/delivery-policy/policy-rules';
import { backoffRetries } from '../../policy/delivery-policy/retry-schedule';
import type { Problem } from '../../policy/problem';

/** A policy as the command shows it: the members a preset does not have are left out. */
export interface ShownPolicy extends Partial<DeliveryPolicy> {
  readonly healthyRetryPolicy: RetryPolicy;
  readonly disableSubscriptionOverrides?: boolean;
}

/** A policy that can be explained. */
export interface Subject {
  /** What the explanation is headed by. */
  readonly title: string;
  readonly policy: ShownPolicy;
  /** What a reader should know besides the numbers, each a sentence or two. */
  readonly notes: readonly string[];
  /** What may keep the policy from working as explained. */
  readonly warnings: readonly string[];
  /** Who carries it out. */
  readonly by: 'sns' | 'relay';
}

/** A document that cannot. */
export interface Rejection {
  /** The document as far as it could be read. */
  readonly policy: unknown;
  readonly problems: readonly Problem[];
}

const PRESET_TITLES: Readonly<Record<PresetName, string>> = {
  'aws-managed': "SNS's policy for AWS-managed endpoints: SQS, Lambda, Firehose",
  'customer-managed': "SNS's policy for customer-managed endpoints: e-mail, SMS, mobile push",
  'http-default': "SNS's policy for HTTP/S endpoints that have none of their own",
};

const LEVEL_TITLES = {
  subscription: 'delivery policy of an HTTP/S subscription',
  topic: 'delivery policy of a topic, for its HTTP/S subscriptions',
};

export function curveNote(policy: RetryPolicy): string[] {
  const isOurs =
    policy.backoffFunction !== 'linear' && backoffRetries(policy) > 2 && policy.minDelayTarget < policy.maxDelayTarget;
  return isOurs
    ? [
        `AWS publishes the first and the last delay of the ${policy.backoffFunction} curve, and nothing in between: the delays ` +
          'between them are our choice.',
      ]
    : [];
}

const AT_ONCE =
  'A delay counts from the end of the failed attempt before it. The times here are those of attempts that fail at once';

/** Where the times shown come from; an endpoint over HTTP has 15 s to answer, of SNS and of a relay alike. */
export function timesNote(isHttp: boolean): string {
  return `${AT_ONCE}${isHttp ? '; an endpoint that keeps silent adds 15 s to each.' : '.'}`;
}

/** What holds of every policy, said of the one kind of endpoint it is for. */
function timeNotes(isHttp: boolean): string[] {
  return [timesNote(isHttp), 'SNS adds jitter, of which it publishes nothing. None is shown.'];
}

const OVERRIDES = 'Subscriptions cannot override this policy: disableSubscriptionOverrides is true.';

/** SNS refuses what its own page allows: say so before it does. */
function demandedWarning(settings: DeliveryPolicySettings): string[] {
  const written = settings.healthyRetryPolicy;
  const missing = DEMANDED_ATTRIBUTES.filter(attribute => written && written[attribute] === undefined);
  if (missing.length === 0) return [];
  return [
    `SNS has been seen to refuse a retry policy without ${missing.join(', ')}, although AWS's page gives defaults: write ` +
      'every one of them out',
  ];
}

/** One of SNS's own policies. */
export function presetSubject(name: PresetName): Subject {
  const healthyRetryPolicy = PRESETS[name];
  const isHttp = name === 'http-default';
  const policy = isHttp ? withDefaults() : { healthyRetryPolicy };
  const notes = [...curveNote(healthyRetryPolicy), ...timeNotes(isHttp)];
  return { title: `${name}: ${PRESET_TITLES[name]}`, policy, notes, warnings: [], by: 'sns' };
}

function documentSubject(name: string, { level, settings }: ParsedPolicy & { readonly kind: 'policy' }): Subject {
  const policy = withDefaults(settings);
  const { disableSubscriptionOverrides } = settings;
  return {
    title: `${name}: ${LEVEL_TITLES[level]}`,
    policy: disableSubscriptionOverrides === undefined ? policy : { ...policy, disableSubscriptionOverrides },
    notes: [
      ...(disableSubscriptionOverrides ? [OVERRIDES] : []),
      ...curveNote(policy.healthyRetryPolicy),
      ...timeNotes(true),
    ],
    warnings: demandedWarning(settings),
    by: 'sns',
  };
}

export function asFarAsReadable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The policy a document states, in either JSON form, or everything wrong with it. */
export function readSubject(name: string, text: string, rawMessageDelivery: boolean): Subject | Rejection {
  const parsed = parsePolicyDocument(text, { rawMessageDelivery });
  if (parsed.kind === 'policy') return documentSubject(name, parsed);
  return { policy: asFarAsReadable(text), problems: parsed.problems };
}
