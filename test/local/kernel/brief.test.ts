import { brief } from '../../../local/kernel/brief';

describe('a value told briefly', () => {
  it('is its JSON where that is short', () => {
    for (const value of ['a "b"', 1.5, true, null, [], [1, [2]], {}, { a: 1, b: { c: ['d'] } }]) {
      expect(brief(value, 60)).toBe(JSON.stringify(value));
    }
    expect(brief(12n, 60)).toBe('12');
    expect(brief(undefined, 60)).toBe('undefined');
    expect(brief(new Date(0), 60)).toBe('"1970-01-01T00:00:00.000Z"');
    expect(brief(Uint8Array.of(1, 2), 60)).toBe('2 bytes');
  });

  it('is cut off where it gets long', () => {
    expect(brief('x'.repeat(1_000_000), 5)).toBe('"xxxx…');
    expect(brief({ ['n'.repeat(100)]: 1 }, 5)).toBe('{"nnn…');
  });

  it('may be nested deeper than anybody could walk', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
    expect(brief(deep, 10)).toBe('{"a":[{"a"…');
  });
});
