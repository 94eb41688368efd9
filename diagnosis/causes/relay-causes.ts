import type { DeadLetterCause } from '../../policy/relay/attempt-verdict';
import { shortName } from './answer-rule';
import { type Diagnosis, type FailureRecord, failureOfMessage } from './cause';
import type { SampledMessage } from './evidence';

interface RelayRule {
  says(host: string, status: string): string;
  readonly fix: string;
}

/** What each of a relay's causes means, and how to fix it. */
const RULES: Readonly<Record<DeadLetterCause, RelayRule>> = {
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

function isCause(cause: string): cause is DeadLetterCause {
  return Object.hasOwn(RULES, cause);
}

function diagnosis(cause: string, reason: string, destination: string, statusCode: number | undefined): Diagnosis {
  if (!isCause(cause)) return { says: `A relay gave it up: ${reason}.` };
  const { says, fix } = RULES[cause];
  return {
    says: says(shortName(destination), statusCode === undefined ? '' : ` (${statusCode})`),
    fix: { says: `${fix} dlo relay show shows the relay's current state.` },
  };
}

/** The failure of a message that one of our relays gave up. */
export function relayFailure(seen: SampledMessage): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'relayed') return undefined;
  const { cause, reason, destination, statusCode, attemptsSpent, deadLetteredAtMs } = who;
  return failureOfMessage(seen, {
    key: {
      failed: 'relay',
      by: destination,
      code: [cause, statusCode].filter(it => it !== undefined).join(' '),
      destination,
    },
    ...(deadLetteredAtMs !== undefined && { atMs: deadLetteredAtMs }),
    diagnose: () => diagnosis(cause, reason, destination, statusCode),
    example: { answer: reason, ...(attemptsSpent !== undefined && { attempts: attemptsSpent }) },
  });
}

/** The failure of a message that one of our redrives sent to a quarantine queue. */
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
