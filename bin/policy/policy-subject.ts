import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
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
import { formatNumber } from '../../policy/format-text';
import type { Problem } from '../../policy/problem';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';
import { FIFO_CLIENT_ERROR_MINUTES } from '../../policy/relay/next-step';
import { policyLimits } from '../../policy/relay/relay-invocation';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { paceMs } from '../../policy/relay/relay-settings';

/** A policy to be shown. Members that a preset does not have are left out. */
export interface ShownPolicy extends Partial<DeliveryPolicy> {
  readonly healthyRetryPolicy: RetryPolicy;
  readonly disableSubscriptionOverrides?: boolean;
}

/** A valid policy. */
export interface Subject {
  /** The heading of the explanation. */
  readonly title: string;
  readonly policy: ShownPolicy;
  /** Notes for the reader, one or two sentences each. */
  readonly notes: readonly string[];
  /** Reasons why the policy may not work as explained. */
  readonly warnings: readonly string[];
  readonly by: 'sns' | 'relay';
}

/** An invalid policy. */
export interface Rejection {
  /** The document, as far as it could be parsed. */
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

function curveNote(policy: RetryPolicy): string[] {
  const isOurs =
    policy.backoffFunction !== 'linear' && backoffRetries(policy) > 2 && policy.minDelayTarget < policy.maxDelayTarget;
  return isOurs
    ? [
        `AWS publishes only the first and the last delay of the ${policy.backoffFunction} curve. The delays between them are ` +
          'assumptions.',
      ]
    : [];
}

const AT_ONCE =
  'A delay counts from the end of the failed attempt before it. The times here are those of attempts that fail at once';

/** What the times mean. An HTTP endpoint has 15 s to respond, both to SNS and to a relay. */
function timesNote(isHttp: boolean): string {
  return `${AT_ONCE}${isHttp ? '. An endpoint that does not respond adds 15 s to each.' : '.'}`;
}

/** Notes about every policy, for its kind of endpoint. */
function timeNotes(isHttp: boolean): string[] {
  return [timesNote(isHttp), 'SNS adds jitter, but publishes no details. It is not shown.'];
}

const OVERRIDES = 'Subscriptions cannot override this policy: disableSubscriptionOverrides is true.';

/** SNS rejects some policies that its documentation allows. */
function demandedWarning(settings: DeliveryPolicySettings): string[] {
  const written = settings.healthyRetryPolicy;
  const missing = DEMANDED_ATTRIBUTES.filter(attribute => written && written[attribute] === undefined);
  if (missing.length === 0) return [];
  return [
    `SNS has rejected retry policies without ${missing.join(', ')}, although its documentation gives defaults: set ` +
      'each of them',
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

function asFarAsReadable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Reads a policy in one of the two JSON forms, or returns all its problems. */
export function readSubject(name: string, text: string, rawMessageDelivery: boolean): Subject | Rejection {
  const parsed = parsePolicyDocument(text, { rawMessageDelivery });
  if (parsed.kind === 'policy') return documentSubject(name, parsed);
  return { policy: asFarAsReadable(text), problems: parsed.problems };
}

/** How long the relay's queue keeps messages. */
export interface Retention {
  readonly retentionSeconds: number;
}

const { jitterPercent, totalTimeoutSeconds } = DEFAULT_RELAY_TERMS;

const paceSeconds = paceMs(DEFAULT_RELAY_TERMS) / 1_000;

/** Members of a delivery policy that are properties of a relay instead. */
const NOT_OF_THE_POLICY = new Set(['maxReceivesPerSecond', 'headerContentType']);

const JITTER =
  `A relay makes each delay up to ${jitterPercent} % shorter or longer at random. A Retry-After header can make it even ` +
  'longer. Neither is shown.';

const IN_FLIGHT =
  `A message that waits for its next attempt is in flight. With about ${formatNumber(IN_FLIGHT_MARKS.limit)} in flight, a queue ` +
  'returns no more messages. ' +
  'Messages that were not received yet, for example while the breaker is open, are not in flight.';

const ANSWERS =
  `A relay retries every answer except 200 to 299 by this schedule. Only ${DEFAULT_DEAD_STATUSES.join(', ')} make a message dead at ` +
  'once (deadStatuses replaces this list). In a FIFO relay, a redirect or a client error (other than 408, 425 and 429) blocks ' +
  `the message group: the message is dead ${FIFO_CLIENT_ERROR_MINUTES} minutes after its first receive.`;

const PROPERTIES =
  "A relay's rate and content type are properties of its construct. Those in the document are ignored.";

function relaySubject(title: string, healthyRetryPolicy: RetryPolicy, notes: readonly string[]): Subject {
  return {
    title,
    policy: { healthyRetryPolicy },
    notes: [...curveNote(healthyRetryPolicy), timesNote(true), JITTER, ANSWERS, IN_FLIGHT, ...notes],
    warnings: [],
    by: 'relay',
  };
}

export function defaultRelaySubject(): Subject {
  return relaySubject('the default policy of an HttpRelay', DEFAULT_RELAY_POLICY, []);
}

function limitsWith(immediateRetries: number, { retentionSeconds }: Retention) {
  const facts = { fifo: false, immediateRetries, totalTimeoutSeconds, paceSeconds };
  return policyLimits(facts, { jitterPercent, retentionSeconds });
}

function immediateRetriesOf(settings: DeliveryPolicySettings): number {
  return withDefaults(settings).healthyRetryPolicy.numNoDelayRetries;
}

function propertiesNote({ throttlePolicy, requestPolicy }: DeliveryPolicySettings): readonly string[] {
  return throttlePolicy || requestPolicy ? [PROPERTIES] : [];
}

/**
 * Reads a retry policy in one of the two JSON forms, and checks it against the limits of a relay. The longest delay depends on the
 * length of an invocation, which depends on the policy's immediate retries. So these are read first, and then the whole policy.
 */
export function readRelaySubject(name: string, text: string, retention: Retention): Subject | Rejection {
  const read = (immediateRetries: number) =>
    parsePolicyDocument(text, {
      limits: limitsWith(immediateRetries, retention),
      unresolvedMembers: NOT_OF_THE_POLICY,
    });
  const loosely = read(0);
  const parsed = loosely.kind === 'policy' ? read(immediateRetriesOf(loosely.settings)) : loosely;
  if (parsed.kind === 'problems') return { policy: asFarAsReadable(text), problems: parsed.problems };
  const { healthyRetryPolicy } = withDefaults(parsed.settings);
  return relaySubject(`${name}: retry policy of an HttpRelay`, healthyRetryPolicy, propertiesNote(parsed.settings));
}
