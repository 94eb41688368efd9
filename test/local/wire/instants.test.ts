import { instantFromText } from '../../../local/wire/protocols/scalars';

const MIDNIGHT = '2026-01-02T00:00:00.000Z';

it.each(['2026-01-02', '2026-01-02T00:00:00', '2026-01-02T00:00:00Z', '2026-01-02T09:00:00+09:00', '1767312000'])(
  '%s is the same instant on every machine',
  text => {
    const parse = jest.spyOn(Date, 'parse');
    expect(instantFromText(text).toISOString()).toBe(MIDNIGHT);
    // A time without a zone `Date.parse` would take for one in the zone of the machine.
    for (const [asked] of parse.mock.calls) expect(asked).toMatch(/(^\d{4}-\d\d-\d\d|Z|[+-]\d\d:\d\d)$/);
    parse.mockRestore();
  },
);

it('seconds since the Unix epoch may have a fraction', () => {
  expect(instantFromText('1.7673120005e9').toISOString()).toBe('2026-01-02T00:00:00.500Z');
});

it.each(['Jan 2 2026', '2026-02-30', '1/2/2026', 'now', '', '1e300'])('%p is none', text => {
  expect(() => instantFromText(text)).toThrow('must be an instant');
});
