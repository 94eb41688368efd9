import { AwsError } from '../../../local/kernel/aws-error';
import { brief, Constraints } from '../../../local/kernel/constraints';
import { pageOf } from '../../../local/kernel/page';

describe('constraints', () => {
  const constraints = () => new Constraints();

  describe('the constraints of a request', () => {
    it('are told in the words of AWS, all at once', () => {
      const broken = constraints()
        .notNull('name', undefined)
        .length('targets', ['a', 'b'], 3, 5)
        .length('description', 'long', 0, 3)
        .range('limit', 0, 1)
        .range('limit', 101, 1, 100)
        .oneOf('state', 'ON', ['ENABLED', 'DISABLED'])
        .pattern('id', 'a b', '[a-z]+');
      expect(() => broken.check()).toThrow(
        "7 validation errors detected: Value null at 'name' failed to satisfy constraint: Member must not be null; " +
          "Value '[a, b]' at 'targets' failed to satisfy constraint: Member must have length greater than or equal to 3; " +
          "Value 'long' at 'description' failed to satisfy constraint: Member must have length less than or equal to 3; " +
          "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1; " +
          "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100; " +
          "Value 'ON' at 'state' failed to satisfy constraint: Member must satisfy enum value set: [ENABLED, DISABLED]; " +
          "Value 'a b' at 'id' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-z]+",
      );
    });

    it('one that is broken is one error', () => {
      expect(() => constraints().range('limit', Number.NaN, 1).check()).toThrow(/^1 validation error detected: /);
    });

    it('hold where a member is not given', () => {
      const kept = constraints()
        .length('a', undefined, 1, 2)
        .range('b', undefined, 1)
        .oneOf('c', undefined, [])
        .pattern('d', undefined, 'x');
      expect(() => kept.check()).not.toThrow();
    });
  });

  // Once, errors showed a list of 31 dimensions as `[object Object], …`, and a value of a megabyte in full.
  it('structures are told as JSON, and long values by their beginning', () => {
    const reported = (value: string | readonly unknown[]) => constraints().length('m', value, 0, 1).error().message;
    expect(reported([{ Name: 'a' }, { Name: 'b' }])).toContain(`Value '[{"Name":"a"}, {"Name":"b"}]' at 'm'`);
    expect(reported('x'.repeat(1_000_000))).toContain(`Value '${'x'.repeat(4096)}…' at 'm'`);
    expect(reported(Array(10_000).fill(1)).length).toBeLessThan(4300);
  });
});

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

const MESSAGES = ['a', 'b', 'c', 'd', 'e'];
const refuse = (token: string): AwsError => new AwsError('InvalidToken', token);
const page = (token?: string, size = 2) => pageOf(MESSAGES, size, token, refuse);

describe('a page of a listing', () => {
  it('follows the one whose token it is given, up to the last, which gives none', () => {
    const first = page();
    expect(first).toEqual({ items: ['a', 'b'], nextToken: expect.any(String) });
    const second = page(first.nextToken);
    expect(second).toEqual({ items: ['c', 'd'], nextToken: expect.any(String) });
    expect(page(second.nextToken)).toEqual({ items: ['e'], nextToken: undefined });
  });

  it('is the last when it just holds everything', () => {
    expect(page(undefined, 5)).toEqual({ items: MESSAGES, nextToken: undefined });
  });

  it('is empty where the list has become shorter than the token says', () => {
    expect(page('7')).toEqual({ items: [], nextToken: undefined });
  });

  it('begins at the beginning for an empty token', () => {
    expect(page('').items).toEqual(['a', 'b']);
  });

  it.each(['x', '-1', '1.5', ' '])('is refused for "%s", which is no token', token => {
    expect(() => page(token)).toThrow(refuse(token));
  });
});
