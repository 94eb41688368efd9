import fc from 'fast-check';
import type { FailedAttempt } from '../../../policy/relay/attempt-verdict';
import {
  type AttemptFacts,
  deadLetteringFailedDelaySeconds,
  nextStep,
  untriedStep,
} from '../../../policy/relay/next-step';
import { jitteredDelaySeconds } from '../../../policy/relay/relay-schedule';
import { chances, POLICY, SETTINGS, stepSettings } from './fixtures';

const NOW = Date.UTC(2026, 0, 5, 9);
const FAILED: FailedAttempt = { kind: 'retry', reason: 'the endpoint failed (500)' };

function tried(attempt: number, facts: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    verdict: FAILED,
    attempt,
    message: { sentAtMs: NOW, firstReceivedAtMs: NOW },
    nowMs: NOW,
    chance: 0.5,
    ...facts,
  };
}

describe('After a failed attempt that can be retried', () => {
  test.each([
    ['the initial one, the retry at once follows', 0, 1, 0],
    ['the retry at once, the first delayed one follows', 1, 2, 20],
    ['that, the backoff begins with the same delay', 2, 3, 20],
    ['the second last, the last follows', 8, 9, 60],
  ])('%s', (_, attempt, retry, delaySeconds) => {
    expect(nextStep(SETTINGS, tried(attempt))).toEqual({ kind: 'retry', retry, delaySeconds, reason: FAILED.reason });
  });

  test('the message is dead after the last retry', () => {
    const dead = { kind: 'dead', cause: 'retries-spent', reason: 'the endpoint failed (500), and no retry is left' };
    expect(nextStep(SETTINGS, tried(9))).toEqual(dead);
    expect(nextStep(SETTINGS, tried(10))).toEqual(dead);
  });
});

test('After a failed attempt that cannot be retried, the message is dead for that reason', () => {
  const verdict = { kind: 'dead', cause: 'gone', reason: 'the endpoint is gone for good (410)' } as const;
  expect(nextStep(SETTINGS, tried(0, { verdict, retryAfterSeconds: 5 }))).toEqual(verdict);
});

describe('Retry-After', () => {
  test.each([
    ['adds to a shorter delay', 1, 300, 2, 300],
    ['takes nothing off a longer delay', 1, 5, 2, 20],
    ['is heeded up to its cap above the delay', 1, 86_400, 2, 20 + 3_600],
    ['is heeded to the second below that', 8, 3_659, 9, 3_659],
    ['is no more than the cap above a longer delay', 8, 3_661, 9, 60 + 3_600],
    ['ends the retries at once', 0, 7, 2, 20],
    ['of nothing leaves them', 0, 0, 1, 0],
  ])('%s', (_, attempt, retryAfterSeconds, retry, delaySeconds) => {
    expect(nextStep(SETTINGS, tried(attempt, { retryAfterSeconds }))).toMatchObject({
      kind: 'retry',
      retry,
      delaySeconds,
    });
  });

  test('adds nothing above the longest delay', () => {
    const settings = { ...SETTINGS, retryAfterCapSeconds: 100_000, maxDelaySeconds: 43_075 };
    expect(nextStep(settings, tried(1, { retryAfterSeconds: 90_000 }))).toMatchObject({ delaySeconds: 43_075 });
  });

  test('keeps all retries of a policy that makes all of them at once', () => {
    const retryPolicy = {
      ...POLICY,
      numRetries: 2,
      numNoDelayRetries: 2,
      numMinDelayRetries: 0,
      numMaxDelayRetries: 0,
    };
    expect(nextStep({ ...SETTINGS, retryPolicy }, tried(0, { retryAfterSeconds: 60 }))).toMatchObject({
      kind: 'retry',
      retry: 1,
      delaySeconds: 0,
    });
  });
});

describe('A message that an endpoint refuses in a FIFO relay', () => {
  const settings = {
    ...SETTINGS,
    fifo: true,
    retryPolicy: { ...POLICY, minDelayTarget: 1_200, maxDelayTarget: 1_200 },
  };
  const REFUSED: FailedAttempt = { kind: 'retry', reason: 'the endpoint refuses it (404)', isClientError: true };
  const stepAfter = (minutes: number, verdict = REFUSED, more: object = {}) =>
    nextStep(
      { ...settings, ...more },
      tried(2, { verdict, message: { sentAtMs: NOW, firstReceivedAtMs: NOW - minutes * 60_000 } }),
    );

  test('is retried by the schedule, for the last time 30 minutes after its first receive', () => {
    expect(stepAfter(0)).toMatchObject({ kind: 'retry', delaySeconds: 1_200 });
    expect(stepAfter(10)).toMatchObject({ kind: 'retry', delaySeconds: 1_200 });
    expect(stepAfter(11)).toMatchObject({ kind: 'retry', delaySeconds: 1_140 });
    expect(stepAfter(29.99)).toMatchObject({ kind: 'retry', delaySeconds: 1 });
  });

  test('is then given up, so that it no longer blocks its group', () => {
    expect(stepAfter(30)).toEqual({
      kind: 'dead',
      cause: 'refused',
      reason: 'the endpoint refuses it (404), and after 30 minutes it must not block its message group any longer',
    });
  });

  test('is dead at its first refusal if an outage used up the 30 minutes, because a queue stores no time of the first refusal', () => {
    expect(stepAfter(31, FAILED)).toMatchObject({ kind: 'retry' });
    expect(stepAfter(51)).toMatchObject({ kind: 'dead', cause: 'refused' });
  });

  test('is retried by the whole schedule if the endpoint fails instead, and in a relay that is not FIFO', () => {
    expect(stepAfter(300, FAILED)).toMatchObject({ kind: 'retry', delaySeconds: 1_200 });
    expect(stepAfter(300, REFUSED, { fifo: false })).toMatchObject({ kind: 'retry', delaySeconds: 1_200 });
  });
});

describe('A message that its queue is about to expire', () => {
  const settings = { ...SETTINGS, retentionSeconds: 86_400 };
  // One hour before the message expires, less the delay of 20 s.
  const last = 86_400 - 3_600 - 20;
  const aged = (seconds: number) => tried(1, { message: { sentAtMs: NOW - seconds * 1_000, firstReceivedAtMs: NOW } });

  test('is tried while the retry is at least an hour before that', () => {
    expect(nextStep(settings, aged(last))).toMatchObject({ kind: 'retry', delaySeconds: 20 });
  });

  test('is given up if the retry would be later', () => {
    expect(nextStep(settings, aged(last + 1))).toEqual({
      kind: 'dead',
      cause: 'retention-spent',
      reason: 'the endpoint failed (500), and the queue would delete the message before the next retry',
    });
  });

  test('is not checked if the retention of the queue is unknown', () => {
    expect(nextStep(SETTINGS, aged(10_000_000))).toMatchObject({ kind: 'retry' });
  });
});

describe('A message that could not be tried', () => {
  const once = { ...POLICY, numRetries: 0, numNoDelayRetries: 0, numMinDelayRetries: 0, numMaxDelayRetries: 0 };
  const kept = { ...SETTINGS, retentionSeconds: 7_200 };

  test('continues with the first delayed retry of its policy', () => {
    expect(untriedStep(SETTINGS, tried(0))).toMatchObject({ kind: 'retry', retry: 2, delaySeconds: 20 });
  });

  test('waits five minutes if its policy has no delayed retry, and makes no immediate one', () => {
    expect(untriedStep({ ...kept, retryPolicy: once }, tried(0))).toMatchObject({ kind: 'retry', delaySeconds: 300 });
  });

  test('is given up at the end of its schedule', () => {
    expect(untriedStep(SETTINGS, tried(9))).toMatchObject({ kind: 'dead', cause: 'retries-spent' });
  });
});

describe('Any relay', () => {
  const attemptOf = (numRetries: number, share: number) => Math.round(share * (numRetries + 1));

  test('follows a failed attempt with a later retry within the limits, or with the end', () => {
    fc.assert(
      fc.property(
        stepSettings,
        chances,
        chances,
        fc.option(fc.nat(200_000), { nil: 0 }),
        (settings, share, chance, asked) => {
          const { numRetries } = settings.retryPolicy;
          const attempt = attemptOf(numRetries, share);
          const step = nextStep(settings, tried(attempt, { chance, retryAfterSeconds: asked }));
          expect(step.kind).toBe(attempt < numRetries ? 'retry' : 'dead');
          if (step.kind === 'dead') return;
          expect(step.retry).toBeGreaterThan(attempt);
          expect(step.retry).toBeLessThanOrEqual(numRetries);
          expect(step.delaySeconds).toBeLessThanOrEqual(settings.maxDelaySeconds);
          const scheduled = jitteredDelaySeconds(settings, step.retry, chance);
          expect(step.delaySeconds).toBeGreaterThanOrEqual(scheduled);
          expect(step.delaySeconds).toBeLessThanOrEqual(scheduled + settings.retryAfterCapSeconds);
          if (step.delaySeconds > scheduled) expect(step.delaySeconds).toBeLessThanOrEqual(asked);
        },
      ),
    );
  });

  test('gives up after all attempts, each made once, if an endpoint never answers', () => {
    fc.assert(
      fc.property(stepSettings, chances, (settings, chance) => {
        const { numRetries } = settings.retryPolicy;
        const made = [0];
        for (;;) {
          const step = nextStep(settings, tried(made.at(-1) ?? 0, { chance }));
          if (step.kind === 'dead') break;
          made.push(step.retry);
        }
        expect(made).toEqual(Array.from({ length: numRetries + 1 }, (_, attempt) => attempt));
      }),
    );
  });
});

test.each([
  ['at first for five minutes', 0, 300],
  ['for five minutes while a quarter of the time is less', 1_200, 300],
  ['for a quarter of the time since it was first received', 4_800, 1_200],
  ['for one hour at most', 14_404, 3_600],
])('A message that the dead-letter queue refused waits %s', (_, sinceSeconds, delaySeconds) => {
  const message = { firstReceivedAtMs: NOW - sinceSeconds * 1_000 };
  expect(deadLetteringFailedDelaySeconds(message, NOW)).toBe(delaySeconds);
});
