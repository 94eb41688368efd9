import { isoInstantMs } from '../../../local/kernel/clock';

describe('an ISO 8601 instant', () => {
  test.each([
    ['2026-03-02', Date.UTC(2026, 2, 2)],
    ['2026-03-02T09:00Z', Date.UTC(2026, 2, 2, 9)],
    ['2026-03-02T09:00:01.5Z', Date.UTC(2026, 2, 2, 9, 0, 1, 500)],
    ['2026-03-02T09:00:00+02:00', Date.UTC(2026, 2, 2, 7)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['+010000-01-01T00:00:00Z', Date.UTC(10_000, 0, 1)],
  ])('is %s', (text, ms) => {
    expect(isoInstantMs(text)).toBe(ms);
  });

  test.each([
    ['is another one on another machine', '2026-03-02T09:00:00'],
    ['is a year', '2027'],
    ['is a month', '2027-03'],
    ['is in words', '2 March 2026'],
    ['is no day of the calendar', '2026-02-30'],
    ['is no hour', '2026-02-03T25:00Z'],
    ['is beyond what a Date can be', '+999999-01-01'],
    ['is empty', ''],
  ])('is none that %s: %s', (_, text) => {
    expect(isoInstantMs(text)).toBeUndefined();
  });
});
