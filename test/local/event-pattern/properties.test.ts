import fc from 'fast-check';
import { compileEventPattern, EventPatternError } from '../../../local/event-pattern';

/** JSON as patterns have it, with the names of operators among its keys. */
const key = fc.constantFrom(
  'a',
  'b',
  '$or',
  'prefix',
  'suffix',
  'anything-but',
  'numeric',
  'exists',
  'cidr',
  'wildcard',
  '=',
);
const scalar = fc.constantFrom<unknown>('x', '*', '10.0.0.0/8', '<', '>=', 1, -2.5, true, null, '');
const { pattern } = fc.letrec<{ pattern: unknown }>(tie => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('pattern'), { maxLength: 4 }),
    fc.dictionary(key, tie('pattern'), { maxKeys: 3 }),
  ),
}));

/** What a wildcard means, said by a regular expression. */
function asRegExp(wildcard: string): RegExp {
  const escaped = wildcard.split('*').map(piece => piece.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's');
}

test('whatever JSON it is given, a pattern is compiled or refused by a reason', () => {
  fc.assert(
    fc.property(pattern, fc.jsonValue(), (given, event) => {
      try {
        const matches = compileEventPattern(JSON.stringify(given));
        expect(typeof matches(event)).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(EventPatternError);
      }
    }),
    { numRuns: 2000, seed: 7 },
  );
});

test('whatever text it is given, a pattern is compiled or refused by a reason', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      try {
        compileEventPattern(text);
      } catch (error) {
        expect(error).toBeInstanceOf(EventPatternError);
      }
    }),
    { numRuns: 2000, seed: 7 },
  );
});

test('an event matches the pattern made of its own scalars', () => {
  const leaf = fc.oneof(fc.string(), fc.integer({ min: -1000, max: 1000 }), fc.boolean(), fc.constant(null));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), leaf, { minKeys: 1, maxKeys: 5 }), detail => {
      const wanted = Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, [value]]));
      expect(compileEventPattern({ detail: wanted })({ detail })).toBe(true);
      const [name = ''] = Object.keys(detail);
      expect(compileEventPattern({ detail: wanted })({ detail: { ...detail, [name]: ['something else'] } })).toBe(
        false,
      );
    }),
    { numRuns: 500, seed: 7 },
  );
});

test('a wildcard means what a regular expression would', () => {
  const messages = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 8 });
  fc.assert(
    fc.property(messages, value, (text, a) => {
      const wildcard = text.replaceAll(/\*+/g, '*');
      expect(compileEventPattern({ a: [{ wildcard }] })({ a })).toBe(asRegExp(wildcard).test(a));
    }),
    { numRuns: 3000, seed: 7 },
  );
});

/** What a pattern of equal values means, said by trying every choice of one element of each array. */
function choices(value: unknown): readonly Record<string, readonly unknown[]>[] {
  if (Array.isArray(value)) return value.length === 0 ? [{}] : value.flatMap(choices);
  if (typeof value !== 'object' || value === null) return [{ '': [value] }];
  return Object.entries(value).reduce<readonly Record<string, readonly unknown[]>[]>(
    (sofar, [name, member]) =>
      sofar.flatMap(one =>
        choices(member).map(other => {
          const named = Object.entries(other).map(([path, v]) => [path === '' ? name : `${name}.${path}`, v] as const);
          return { ...one, ...Object.fromEntries(named) };
        }),
      ),
    [{}],
  );
}

test('of every array, one element satisfies all that is wanted of it, whatever stands beside or inside', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const bit = fc.constantFrom(0, 1);
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      bit,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 2 }),
    ),
  }));
  const event = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('.'));
  fc.assert(
    fc.property(event, fc.dictionary(path, bit, { minKeys: 1, maxKeys: 4 }), (given, wanted) => {
      const pattern = Object.fromEntries(Object.entries(wanted).map(([at, bitWanted]) => [at, [bitWanted]]));
      const expected = choices(given).some(choice =>
        Object.entries(wanted).every(([at, bitWanted]) => choice[at]?.includes(bitWanted)),
      );
      expect(compileEventPattern(pattern)(given)).toBe(expected);
    }),
    { numRuns: 3000, seed: 7 },
  );
});
