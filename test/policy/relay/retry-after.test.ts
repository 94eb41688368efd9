import fc from 'fast-check';
import { retryAfterSeconds } from '../../../policy/relay/retry-after';

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

test('A part of a second is waited for whole', () => {
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
])('%p says nothing', header => {
  expect(retryAfterSeconds(header, NOW)).toBeUndefined();
});

test('A year of two digits is at most fifty years ahead', () => {
  const in2026 = Date.UTC(2026, 10, 6, 8, 49, 0);
  const seconds = (year: string) => retryAfterSeconds(`Friday, 06-Nov-${year} 08:49:37 GMT`, in2026);
  expect(seconds('26')).toBe(37);
  expect(seconds('76')).toBe((Date.UTC(2076, 10, 6, 8, 49, 37) - in2026) / 1_000);
  expect(seconds('77')).toBe(0);
});

test('Whatever a header says, it asks for some time from zero up, or for none', () => {
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
