import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import {
  type DeliveryPolicySettings,
  type RetryPolicy,
  withDefaults,
} from '../../policy/delivery-policy/delivery-policy';
import { parsePolicyDocument } from '../../policy/delivery-policy/policy-document';
import { formatNumber } from '../../policy/format-text';
import { policyLimits } from '../../policy/relay/relay-invocation';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { paceMs } from '../../policy/relay/relay-settings';
import { asFarAsReadable, curveNote, type Rejection, type Subject, timesNote } from './policy-subject';

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

const PROPERTIES =
  "A relay's rate and content type are properties of its construct. Those in the document are ignored.";

function relaySubject(title: string, healthyRetryPolicy: RetryPolicy, notes: readonly string[]): Subject {
  return {
    title,
    policy: { healthyRetryPolicy },
    notes: [...curveNote(healthyRetryPolicy), timesNote(true), JITTER, IN_FLIGHT, ...notes],
    warnings: [],
    by: 'relay',
  };
}

/** The default policy of a relay. */
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
