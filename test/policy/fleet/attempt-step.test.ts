import { attemptsMade, type FleetAttempt, stepAfterAttempt, stepSettingsOf } from '../../../policy/fleet/attempt-step';

const NOW = Date.UTC(2026, 0, 1);
const RETRY_POLICY = {
  numRetries: 3,
  numNoDelayRetries: 1,
  numMinDelayRetries: 2,
  numMaxDelayRetries: 0,
  minDelayTarget: 20,
  maxDelayTarget: 20,
  backoffFunction: 'linear',
} as const;
const FLEET = { retryPolicy: RETRY_POLICY, jitterPercent: 0, retryAfterCapSeconds: 900, maxAgeSeconds: 3_600 };
const SETTINGS = stepSettingsOf({}, FLEET);

const FAILED = { kind: 'retry', reason: 'status 503' } as const;
const REFUSED = { kind: 'dead', cause: 'refused', reason: 'status 422' } as const;

const ATTEMPT: FleetAttempt = {
  verdict: FAILED,
  requests: 1,
  isProbe: false,
  attempt: 1,
  message: { sentAtMs: NOW, firstReceivedAtMs: NOW },
  nowMs: NOW,
  chance: 0.5,
};

const OLD = { message: { sentAtMs: NOW - 3_590_000, firstReceivedAtMs: NOW } };
const TOO_OLD = 'status 503, and at the next retry it would be older than 3600 seconds';

test.each<readonly [what: string, given: Partial<FleetAttempt>, expected: object]>([
  ['that was taken', { verdict: { kind: 'delivered', reason: '' } }, { kind: 'delivered' }],
  ['that failed', {}, { kind: 'retry', dueAtMs: NOW + 20_000, attempts: 2, reason: 'status 503' }],
  ['of a policy without delay', { attempt: 0 }, { kind: 'retry', dueAtMs: NOW + 1_000, attempts: 1 }],
  ['that the endpoint wants later', { retryAfterSeconds: 60 }, { kind: 'retry', dueAtMs: NOW + 60_000 }],
  ['that was refused', { verdict: REFUSED }, REFUSED],
  ['that was the last', { attempt: 3 }, { kind: 'dead', cause: 'retries-spent' }],
  ['that is too old for another', OLD, { kind: 'dead', cause: 'retention-spent', reason: TOO_OLD }],
  ['that was not made', { requests: 0 }, { kind: 'retry', dueAtMs: NOW + 20_000, attempts: 1 }],
  ['the last, that was not made', { requests: 0, attempt: 3 }, { kind: 'retry', dueAtMs: NOW + 300_000, attempts: 3 }],
  ['of a probe', { isProbe: true, attempt: 3 }, { kind: 'stays-parked' }],
  ['of a probe that was refused', { isProbe: true, verdict: REFUSED }, REFUSED],
])('The step after an attempt %s', (_, given, expected) => {
  expect(stepAfterAttempt(SETTINGS, { ...ATTEMPT, ...given })).toMatchObject(expected);
});

test.each<readonly [before: number, receiveCount: number, afterSeconds: number, made: number]>([
  [0, 1, 0, 0],
  [0, 2, 0.9, 0],
  [0, 2, 1, 1],
  [0, 3, 20, 1],
  [0, 3, 21, 2],
  [2, 3, 20, 3],
  [0, 99, 9_999, 3],
])('Of %i attempts, receive %i after %d s counts %i', (before, receiveCount, afterSeconds, made) => {
  const message = { receiveCount, firstReceivedAtMs: NOW };
  expect(attemptsMade(SETTINGS, before, message, NOW + afterSeconds * 1_000)).toBe(made);
});
