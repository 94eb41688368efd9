import { deliver, type RetryPolicy, retryDelaySeconds, retryPolicyOf } from '../../../local/event-delivery/delivery';
import { targetErrorOf } from '../../../local/event-delivery/targets';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Latency } from '../../../local/kernel/caller';
import { Timeline, WorkFailed } from '../../../local/kernel/timeline';

const OUTAGE = new AwsError('ServiceUnavailable', 'out of order', 503);
const GONE = new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'gone');

const DAY: RetryPolicy = { maximumRetryAttempts: 185, maximumEventAgeSeconds: 86_400 };

type Attempt = (attempt: number, latency: Latency) => unknown;

/** What becomes of a delivery, each with the second at which it happens. */
async function course(attempt: Attempt, policy: Partial<RetryPolicy> = {}): Promise<readonly string[]> {
  const timeline = new Timeline(0);
  const course: string[] = [];
  const note = (what: string): void => void course.push(`${timeline.nowMs / 1000} ${what}`);
  deliver(timeline, {
    policy: { ...DAY, ...policy },
    attempt: (number, latency) => {
      note(`attempt ${number}`);
      return attempt(number, latency);
    },
    delivered: number => note(`delivered ${number}`),
    attemptFailed: ({ attempt: number, reason }, next) => {
      note(`failed ${number} ${reason.code}, next ${next === undefined ? 'never' : next / 1000}`);
    },
    givenUp: ({ attempt: number, exhausted }) => note(`given up ${number} ${exhausted}`),
  });
  await timeline.runUntilIdle();
  return course;
}

const fail = (error: unknown): never => {
  throw error;
};

const failing =
  (times: number, error: unknown = OUTAGE): Attempt =>
  attempt =>
    attempt <= times ? fail(error) : undefined;

/** The same, so many seconds late. */
const late =
  (seconds: number, run: Attempt): Attempt =>
  (attempt, latency) => {
    latency.ms = seconds * 1000;
    return run(attempt, latency);
  };

describe('a delivery', () => {
  it('ends with the first attempt that succeeds', async () => {
    expect(await course(failing(2))).toEqual([
      '0 attempt 1',
      '0 failed 1 ERROR_FROM_TARGET, next 1',
      '1 attempt 2',
      '1 failed 2 ERROR_FROM_TARGET, next 3',
      '3 attempt 3',
      '3 delivered 3',
    ]);
  });

  it('goes the same way when the target answers promises', async () => {
    expect(await course(async (...attempt) => failing(2)(...attempt))).toEqual(await course(failing(2)));
  });

  it('is given up at once when trying again is of no use', async () => {
    expect(await course(failing(1, GONE))).toEqual([
      '0 attempt 1',
      '0 failed 1 NO_RESOURCE, next never',
      '0 given up 1 undefined',
    ]);
  });

  it('has as many retries as its policy says', async () => {
    expect(await course(failing(9), { maximumRetryAttempts: 1 })).toEqual([
      '0 attempt 1',
      '0 failed 1 ERROR_FROM_TARGET, next 1',
      '1 attempt 2',
      '1 failed 2 ERROR_FROM_TARGET, next never',
      '1 given up 2 MaximumRetryAttempts',
    ]);
    expect((await course(failing(9), { maximumRetryAttempts: 0 })).at(-1)).toBe('0 given up 1 MaximumRetryAttempts');
  });

  it('that is too old for another attempt is kept until its age is over', async () => {
    // Attempts at 0, 1, 3, 7, 15 and 31 seconds; the next would come at 63.
    const happened = await course(failing(99), { maximumEventAgeSeconds: 60 });
    expect(happened.slice(-2)).toEqual([
      '31 failed 6 ERROR_FROM_TARGET, next never',
      '60 given up 6 MaximumEventAgeInSeconds',
    ]);
  });

  it('counts the wait for a retry from the late answer', async () => {
    expect(await course(late(5, failing(1)))).toEqual([
      '0 attempt 1',
      '5 failed 1 ERROR_FROM_TARGET, next 6',
      '6 attempt 2',
      '11 delivered 2',
    ]);
  });

  it('whose answer comes after its age is over is given up then, and once', async () => {
    expect(await course(late(90, failing(1)), { maximumEventAgeSeconds: 60 })).toEqual([
      '0 attempt 1',
      '90 failed 1 ERROR_FROM_TARGET, next never',
      '90 given up 1 MaximumEventAgeInSeconds',
    ]);
  });

  it('that is taken late is delivered, however old', async () => {
    expect(await course(late(90, failing(0)), { maximumEventAgeSeconds: 60 })).toEqual([
      '0 attempt 1',
      '90 delivered 1',
    ]);
  });

  it.each([
    ['thrown', () => fail(new TypeError('a bug'))],
    ['rejected with', async () => fail(new TypeError('a bug'))],
  ])('hides no error that is not AWS’s, %s', async (_, attempt) => {
    await expect(course(attempt)).rejects.toBeInstanceOf(WorkFailed);
  });
});

describe('a retry policy', () => {
  // "By default, EventBridge retries sending the event for 24 hours and up to 185 times."
  it('is 185 retries in 24 hours by default', () => {
    expect(retryPolicyOf()).toEqual({ maximumRetryAttempts: 185, maximumEventAgeSeconds: 86_400 });
    expect(retryPolicyOf({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 })).toEqual({
      maximumRetryAttempts: 0,
      maximumEventAgeSeconds: 60,
    });
  });

  it('waits twice as long each time, so that 185 retries almost fill 24 hours', () => {
    const delays = Array.from({ length: 185 }, (_, i) => retryDelaySeconds(i + 1));
    expect(delays.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 480, 480]);
    const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3600;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(24);
  });
});

it.each([
  [new AwsError('RequestThrottled', 'Request is throttled.', 403), 'THROTTLING', true],
  [new AwsError('Throttling', 'Rate exceeded', 400), 'THROTTLING', true],
  [new AwsError('KMS.ThrottlingException', 'Rate exceeded', 400), 'THROTTLING', true],
  [new AwsError('ServiceUnavailable', 'out', 503), 'ERROR_FROM_TARGET', true],
  [new AwsError('InternalError', 'out', 500), 'ERROR_FROM_TARGET', true],
  [new AwsError('AccessDenied', 'no', 403), 'NO_PERMISSIONS', false],
  [new AwsError('NotFound', 'gone', 404), 'NO_RESOURCE', false],
  [new AwsError('NotImplemented', 'not here', 501), 'SDK_CLIENT_ERROR', false],
])('an error of a target %# is named and tried again, or not', (error, code, isRetried) => {
  expect(targetErrorOf(error)).toEqual({ code, isRetried });
});
