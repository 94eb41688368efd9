import fc from 'fast-check';
import { type Outcome, TRANSPORT_FAILURES } from '../../../policy/outcome/outcome';
import {
  DEAD_LETTER_CAUSES,
  DEFAULT_DEAD_STATUSES,
  relayVerdict,
  retryAfterSeconds,
  type VerdictContext,
} from '../../../policy/relay/attempt-verdict';

describe('the verdict on an answer', () => {
  const CONTEXT: VerdictContext = { deadStatuses: DEFAULT_DEAD_STATUSES };

  function answered(statusCode: number): Outcome {
    return { kind: 'answered', statusCode };
  }

  test.each([
    [200, 'delivered', 'the endpoint took it'],
    [299, 'delivered', 'the endpoint took it'],
    [408, 'retry', 'the endpoint waited too long for the request'],
    [425, 'retry', 'the endpoint will not risk a request that comes too early'],
    [429, 'retry', 'the endpoint asks for fewer requests'],
    [500, 'retry', 'the endpoint failed'],
    [503, 'retry', 'the endpoint failed'],
    [599, 'retry', 'the endpoint failed'],
  ])('%i is %s', (statusCode, kind, reason) => {
    expect(relayVerdict(answered(statusCode), CONTEXT)).toEqual({ kind, reason: `${reason} (${statusCode})` });
  });

  test.each([
    [410, 'gone', 'the endpoint is gone for good'],
    [400, 'refused', 'the endpoint refuses it'],
    [413, 'refused', 'the endpoint refuses it'],
    [415, 'refused', 'the endpoint refuses it'],
    [422, 'refused', 'the endpoint refuses it'],
  ])('%i is a fault of the message: %s', (statusCode, cause, reason) => {
    expect(relayVerdict(answered(statusCode), CONTEXT)).toEqual({
      kind: 'dead',
      cause,
      reason: `${reason} (${statusCode})`,
    });
  });

  // A partner's bad deployment, an expired token or a firewall rule answers 404, 403 or 302 to every request.
  test.each([
    [300, 'the endpoint redirects, and redirects are not followed'],
    [302, 'the endpoint redirects, and redirects are not followed'],
    [399, 'the endpoint redirects, and redirects are not followed'],
    [401, 'the endpoint refuses it'],
    [403, 'the endpoint refuses it'],
    [404, 'the endpoint refuses it'],
    [409, 'the endpoint refuses it'],
    [499, 'the endpoint refuses it'],
    [101, 'the answer is not a final answer to a request'],
    [600, 'the answer is not a final answer to a request'],
  ])('%i may be temporary, and is retried as a client error: %s', (statusCode, reason) => {
    expect(relayVerdict(answered(statusCode), CONTEXT)).toEqual({
      kind: 'retry',
      reason: `${reason} (${statusCode})`,
      isClientError: true,
    });
  });

  test('deadStatuses replaces the list', () => {
    const context = { deadStatuses: [404, 501] };
    expect(relayVerdict(answered(404), context)).toMatchObject({ kind: 'dead', cause: 'refused' });
    expect(relayVerdict(answered(501), context)).toMatchObject({ kind: 'dead', cause: 'refused' });
    for (const status of DEFAULT_DEAD_STATUSES) {
      expect(relayVerdict(answered(status), context)).toMatchObject({ kind: 'retry', isClientError: true });
    }
  });

  test('Every failure without an answer is retried', () => {
    for (const failure of TRANSPORT_FAILURES) {
      expect(relayVerdict({ kind: 'unanswered', failure }, CONTEXT)).toMatchObject({ kind: 'retry' });
    }
  });

  test.each([
    ['timeout', 'no answer came in time'],
    ['forbidden-address', 'the endpoint is at an address that is not public'],
  ] as const)('%s is retried: %s', (failure, reason) => {
    expect(relayVerdict({ kind: 'unanswered', failure }, CONTEXT)).toEqual({ kind: 'retry', reason });
  });

  test('Any status has one verdict, and a dead letter has a cause', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1, max: 1_000 }),
        fc.array(fc.integer({ min: 300, max: 599 })),
        (status, deadStatuses) => {
          const verdict = relayVerdict(answered(status), { deadStatuses });
          expect(verdict.reason).toContain(`(${status})`);
          const isSuccess = status >= 200 && status <= 299;
          expect(verdict.kind).toBe(deadStatuses.includes(status) ? 'dead' : isSuccess ? 'delivered' : 'retry');
          if (verdict.kind === 'dead') expect(DEAD_LETTER_CAUSES).toContain(verdict.cause);
        },
      ),
    );
  });
});

describe('the header Retry-After', () => {
  const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

  // The dates are the examples of RFC 9110, section 5.6.7.
  test.each([
    ['0', 0],
    ['120', 120],
    [' 120 ', 120],
    ['007', 7],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
    ['Sun Nov  6 08:49:37 1994', 37],
    ['Wed Nov 16 08:49:37 1994', 864_037],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
  ])('%p asks for %p seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });

  test('A part of a second is rounded up', () => {
    expect(retryAfterSeconds('Sun, 06 Nov 1994 08:49:37 GMT', NOW + 1)).toBe(37);
  });

  test.each([
    undefined,
    '',
    'soon',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '12 s',
    's 12',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 99 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nox 1994 08:49:37 GMT',
    'Wed, 31 Nov 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:60 GMT',
    'x Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT x',
    'x Sunday, 06-Nov-94 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT x',
    'Sun Nov  6 08:49:37 1994 +0200',
    'x Sun Nov  6 08:49:37 1994',
  ])('%p is ignored', header => {
    expect(retryAfterSeconds(header, NOW)).toBeUndefined();
  });

  test('A year of two digits is at most fifty years ahead', () => {
    const in2026 = Date.UTC(2026, 10, 6, 8, 49, 0);
    const seconds = (year: string) => retryAfterSeconds(`Friday, 06-Nov-${year} 08:49:37 GMT`, in2026);
    expect(seconds('26')).toBe(37);
    expect(seconds('76')).toBe((Date.UTC(2076, 10, 6, 8, 49, 37) - in2026) / 1_000);
    expect(seconds('77')).toBe(0);
  });

  test('Any header asks for a time from zero up, or for none', () => {
    fc.assert(
      fc.property(fc.string(), header => {
        const seconds = retryAfterSeconds(header, NOW) ?? 0;
        expect(seconds).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('A date in the future is waited for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), seconds => {
        const header = new Date(NOW + seconds * 1_000).toUTCString();
        expect(retryAfterSeconds(header, NOW)).toBe(seconds);
      }),
    );
  });
});
