import { formatInstant, isoInstant, isoInstantMs } from '../../policy/instants';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe('an instant', () => {
  test('is written in UTC, with milliseconds for programs and minutes for people', () => {
    expect(isoInstant(AT_MS)).toBe('2026-01-02T03:04:05.678Z');
    expect(formatInstant(AT_MS)).toBe('2026-01-02 03:04 UTC');
  });

  test.each([
    ['2026-01-02T03:04:05.678Z', AT_MS],
    ['2026-01-02T03:04:05Z', AT_MS - 678],
    ['2026-01-02T03:04Z', AT_MS - 5_678],
    ['2026-01-02T05:04:05.678+02:00', AT_MS],
    ['2026-01-01T22:04:05.6-05:00', AT_MS - 78],
    ['2026-01-02', Date.UTC(2026, 0, 2)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-12-31', Date.UTC(2026, 11, 31)],
    ['+002026-01-02', Date.UTC(2026, 0, 2)],
    ['-000001-01-02', new Date(0).setUTCFullYear(-1, 0, 2)],
  ])('can be read from %s', (text, atMs) => {
    expect(isoInstantMs(text)).toBe(atMs);
  });

  test.each([
    ['a time without an offset means another instant in another time zone', '2026-01-02T03:04:05'],
    ['a day that is not in the calendar', '2026-02-29'],
    ['a day that is not in the calendar, with a time', '2026-04-31T00:00Z'],
    ['a month that does not exist', '2026-13-01'],
    ['an hour that does not exist', '2026-01-02T25:00Z'],
    ['text before it', 'at 2026-01-02'],
    ['text after it', '2026-01-02Z'],
    ['text after the time', '2026-01-02T03:04Z!'],
    ['a year of three digits', '026-01-02'],
    ['an expanded year without a sign', '002026-01-02'],
    ['a fraction without digits', '2026-01-02T03:04:05.Z'],
    ['an offset without minutes', '2026-01-02T03:04+02'],
    ['nothing', ''],
    ['words', 'noon'],
  ])('cannot be read from %s', (_, text) => {
    expect(isoInstantMs(text)).toBeUndefined();
  });
});
