import { type FleetDeadLetterCause, isGivenUpByFleet } from '../../policy/fleet/dead-letter-cause';
import { groupOf } from '../../policy/fleet/endpoint';
import { readDelivery } from '../../policy/fleet/fleet-messages';
import type { DeadLetterCause } from '../../policy/relay/attempt-verdict';
import { fleetOfDeadLetters, fleetOption } from '../inventory/look-ups';
import { shortName } from './answer-rule';
import { type Diagnosis, type FailureRecord, failureOfMessage, type Replay } from './cause';
import type { Evidence, SampledMessage } from './evidence';

interface Rule {
  /** @param where the host, or for a fleet the tenant and the endpoint */
  says(where: string, status: string): string;
  readonly fix: string;
}

/** What each of a relay's causes means, and how to fix it. */
const RELAY_RULES: Readonly<Record<DeadLetterCause, Rule>> = {
  gone: {
    says: host => `${host} is gone for good (410).`,
    fix: 'Give the relay the new URL of the endpoint.',
  },
  refused: {
    says: (host, status) => `${host} refuses the request${status}.`,
    fix: 'Ask its owner why it refuses the request. 400 and 422 mean the content of the message, 413 its size, 415 its content type. Statuses such as 401, 403 and 404 (a secret, an allow list, a path) are dead only in a FIFO relay, after 30 minutes, or if `deadStatuses` lists them.',
  },
  'forbidden-address': {
    says: host => `${host} has an address to which no relay may send: a private one, or one of AWS's own.`,
    fix: 'Give the relay the URL of a public endpoint.',
  },
  'retries-spent': {
    says: (host, status) => `${host} failed${status} for as long as the relay's policy retries.`,
    fix: 'Repair the endpoint. If it may be down for so long again, let the policy retry for longer.',
  },
  'retention-spent': {
    says: host => `${host} failed until the relay's queue was about to delete the message.`,
    fix: 'Repair the endpoint. Raise the retention period of the queue, or find out why messages waited: an open breaker, or a stopped relay.',
  },
  'not-an-envelope': {
    says: () => 'The message in the relay’s queue is not an SNS notification.',
    fix: 'Turn raw message delivery of its subscription off, and send nothing else to the relay’s queue.',
  },
};

/** The same for a fleet, whose endpoints have owners. */
const FLEET_RULES: Readonly<Record<Exclude<FleetDeadLetterCause, 'not-an-envelope'>, Rule>> = {
  gone: {
    says: name => `The endpoint ${name} is gone for good (410). The fleet has disabled it.`,
    fix: 'Ask its owner for another URL, or remove the endpoint.',
  },
  refused: {
    says: (name, status) => `The endpoint ${name} refuses the request${status}.`,
    fix: 'Ask its owner why it refuses the request. 400 and 422 mean the content of the message, 413 its size, 415 its content type.',
  },
  'forbidden-address': {
    says: name => `The host of the endpoint ${name} has a private address, or one of AWS's own.`,
    fix: 'Ask its owner for a public URL.',
  },
  'retries-spent': {
    says: (name, status) => `The endpoint ${name} failed${status} for as long as its policy retries.`,
    fix: 'Ask its owner to repair it.',
  },
  'retention-spent': {
    says: name => `The endpoint ${name} was down or disabled until its message was too old (maxAge of the fleet).`,
    fix: 'Ask its owner to repair it, then enable it.',
  },
  'not-an-event': {
    says: name => `A message in a queue of the fleet ${name} is not an event.`,
    fix: 'Repair the sender, and let it send the event again: JSON with id, tenant, type and data, or a notification of SNS with the message attributes tenant and type. dlo dlq edit sends a message after a correction.',
  },
  'too-large': {
    says: name => `An event of the fleet ${name} is larger than 256 KB with everything that the fleet adds to it.`,
    fix: 'Send less, such as a link to the data.',
  },
  'bad-filter': {
    says: name => `The filter of the endpoint ${name} is not valid. It was not written by the typed client.`,
    fix: 'Write the endpoint again with the typed client.',
  },
  'endpoint-removed': {
    says: name => `The endpoint ${name} was removed while the message waited.`,
    fix: 'If it was removed by mistake, add it again. Else delete the messages.',
  },
};

function diagnosis(
  cause: string,
  reason: string,
  destination: string,
  statusCode: number | undefined,
  isFleet: boolean,
): Diagnosis {
  const rules: Readonly<Record<string, Rule>> = isFleet ? FLEET_RULES : RELAY_RULES;
  const rule = Object.hasOwn(rules, cause) ? rules[cause] : undefined;
  if (!rule) return { says: `A ${isFleet ? 'fleet' : 'relay'} gave it up: ${reason}.` };
  const status = statusCode === undefined ? '' : ` (${statusCode})`;
  const next = isFleet
    ? `dlo fleet show ${destination} shows its state and its last attempts.`
    : "dlo relay show shows the relay's current state.";
  // What is no event is of no endpoint.
  const fix = isFleet && !destination.includes('/') ? rule.fix : `${rule.fix} ${next}`;
  return { says: rule.says(shortName(destination), status), fix: { says: fix } };
}

export function relayFailure(seen: SampledMessage): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'relayed') return undefined;
  const { cause, reason, destination, statusCode, attemptsSpent, deadLetteredAtMs } = who;
  const isFleet = isGivenUpByFleet(cause, destination);
  return failureOfMessage(seen, {
    key: {
      failed: isFleet ? 'fleet' : 'relay',
      by: destination,
      code: [cause, statusCode].filter(it => it !== undefined).join(' '),
      destination,
    },
    ...(deadLetteredAtMs !== undefined && { atMs: deadLetteredAtMs }),
    diagnose: () => diagnosis(cause, reason, destination, statusCode, isFleet),
    example: { answer: reason, ...(attemptsSpent !== undefined && { attempts: attemptsSpent }) },
  });
}

/**
 * The command that sends a message again that was for an endpoint of a fleet: one that the fleet gave up, or that SQS moved to the fleet's
 * dead-letter queue. Undefined for any other message.
 */
export function replayOf({ decoded }: SampledMessage, { queueArn, inventory }: Evidence): Replay | undefined {
  const { who, message } = decoded;
  const fleet = fleetOfDeadLetters(queueArn, inventory);
  const isGivenUp = who.kind === 'relayed' && isGivenUpByFleet(who.cause, who.destination);
  const delivery = fleet || isGivenUp ? readDelivery(message.body) : undefined;
  return delivery && ['fleet', 'replay', groupOf(delivery), ...(fleet ? fleetOption(fleet, inventory) : [])];
}

/** Each once. */
export function uniqueReplays(replays: readonly (Replay | undefined)[]): readonly Replay[] {
  return [...new Map(replays.flatMap(it => (it ? [[it.join(' '), it] as const] : []))).values()];
}

export function quarantineFailure(seen: SampledMessage): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'quarantined') return undefined;
  const { cause, reason, fromArn = 'a dead-letter queue', quarantinedAtMs } = who;
  return failureOfMessage(seen, {
    key: { failed: 'redrive', by: fromArn, code: cause, destination: fromArn },
    ...(quarantinedAtMs !== undefined && { atMs: quarantinedAtMs }),
    diagnose: () => ({
      says: `A redrive had moved it before, and it came back: ${reason}`,
      fix: { says: 'Look at one of the messages: it fails every time, so fix or delete it.' },
    }),
    example: { answer: reason },
  });
}
