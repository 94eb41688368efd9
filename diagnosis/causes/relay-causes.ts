import type { DeadLetterCause } from '../../policy/relay/attempt-verdict';
import { shortName } from './answer-rule';
import { type Diagnosis, deathOfMessage, type FailureRecord } from './cause';
import type { SeenMessage } from './evidence';

interface RelayRule {
  says(host: string, status: string): string;
  readonly fix: string;
}

/** What the causes a relay names mean, and what to do about each. */
const RULES: Readonly<Record<DeadLetterCause, RelayRule>> = {
  gone: {
    says: host => `${host} is gone for good, and says so (410).`,
    fix: 'Give the relay the URL it is at now.',
  },
  refused: {
    says: (host, status) => `${host} refuses the request${status}.`,
    fix: 'Ask its owner what it refuses. 401 and 403 are a secret or an allow list, 404 a path, 413 a message too large.',
  },
  redirected: {
    says: (host, status) => `${host} redirects${status}, and a relay does not follow.`,
    fix: 'Give the relay the URL it redirects to.',
  },
  'not-final': {
    says: (host, status) => `${host} gave no final answer to a request${status}.`,
    fix: 'See whether the URL is that of an HTTP endpoint at all.',
  },
  'forbidden-address': {
    says: host => `${host} has an address that no relay may send to: a private one, or one of AWS's own.`,
    fix: 'Give the relay the URL of a public endpoint.',
  },
  'retries-spent': {
    says: (host, status) => `${host} failed${status} for as long as the relay's policy retries.`,
    fix: 'Mend the endpoint; where it may be down for so long again, have the policy retry for longer.',
  },
  'retention-spent': {
    says: host => `${host} failed until the relay's queue was about to drop the message.`,
    fix: 'Mend the endpoint; keep messages for longer in the queue, or see why they waited: a breaker, or a relay that was stopped.',
  },
  'not-an-envelope': {
    says: () => 'What came into the queue of the relay is no notification of SNS.',
    fix: 'Turn raw message delivery of its subscription off, and send nothing else into the queue of the relay.',
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
    fix: { says: `${fix} dlo relay show tells how the relay fares now.` },
  };
}

/** What a letter says that a relay of ours gave up. */
export function relayFailure(seen: SeenMessage): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'relayed') return undefined;
  const { cause, reason, destination, statusCode, attemptsSpent, deadLetteredAtMs } = who;
  return deathOfMessage(seen, {
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

/** What a letter says that a redrive of ours took out of circulation. */
export function quarantineFailure(seen: SeenMessage): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'quarantined') return undefined;
  const { cause, reason, fromArn = 'a dead-letter queue', quarantinedAtMs } = who;
  return deathOfMessage(seen, {
    key: { failed: 'redrive', by: fromArn, code: cause, destination: fromArn },
    ...(quarantinedAtMs !== undefined && { atMs: quarantinedAtMs }),
    diagnose: () => ({
      says: `A redrive had sent it home, and it came back: ${reason}`,
      fix: { says: 'Look at one: what fails again by itself is poison, to be mended or deleted.' },
    }),
    example: { answer: reason },
  });
}
