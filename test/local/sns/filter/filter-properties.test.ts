import fc from 'fast-check';
import { FilterPolicy } from '../../../../local/sns/filter/filter-policy';
import { Message } from '../../../../local/sns/message';
import { Topic } from '../../../../local/sns/topic';
import { START_MS, TOPIC_ARN } from '../sns-fixture';

const TOPIC = new Topic({ arn: TOPIC_ARN, name: 'Rental-Orders', account: '123456789012' });

const KEYS = ['size', 'seats', 'status'];
const key = fc.constantFrom(...KEYS);
const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'AB', '1');
const small = fc.integer({ min: -3, max: 3 });
const scalar = fc.oneof(word, small);

const rule = fc.oneof(
  scalar,
  fc.record({ prefix: word }),
  fc.record({ suffix: word }),
  fc.record({ 'equals-ignore-case': word }),
  fc.record({ 'anything-but': fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 })) }),
  fc.record({ exists: fc.boolean() }),
  fc.tuple(fc.constantFrom('=', '<', '<=', '>', '>='), small).map(numeric => ({ numeric })),
);
const rules = fc.array(rule, { minLength: 1, maxLength: 3 });
const policy = fc.dictionary(key, rules, { minKeys: 1, maxKeys: 3 });
const body = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 })));

function passes(filter: unknown, document: unknown): boolean {
  const message = new Message({
    id: '1',
    topic: TOPIC,
    body: JSON.stringify(document),
    attributes: {},
    publishedAtMs: START_MS,
  });
  return new FilterPolicy(JSON.stringify(filter), 'MessageBody').rejects(message) === undefined;
}

/** The same document as message attributes. */
function passesAsAttributes(filter: unknown, document: Record<string, unknown>): boolean {
  const attributes = Object.entries(document).map(([name, value]) => {
    if (Array.isArray(value)) return [name, { DataType: 'String.Array', StringValue: JSON.stringify(value) }] as const;
    return [name, { DataType: typeof value === 'number' ? 'Number' : 'String', StringValue: String(value) }] as const;
  });
  const message = new Message({
    id: '1',
    topic: TOPIC,
    body: 'order',
    attributes: Object.fromEntries(attributes),
    publishedAtMs: START_MS,
  });
  return new FilterPolicy(JSON.stringify(filter), 'MessageAttributes').rejects(message) === undefined;
}

describe('filter policies', () => {
  test('pass what each of their keys passes by itself: keys are joined by AND', () => {
    fc.assert(
      fc.property(policy, body, (filter, document) => {
        const each = Object.entries(filter).every(([name, own]) => passes({ [name]: own }, document));
        expect(passes(filter, document)).toBe(each);
      }),
    );
  });

  test('pass what any rule of a key passes by itself: rules are joined by OR', () => {
    fc.assert(
      fc.property(key, rules, body, (name, own, document) => {
        const any = own.some(one => passes({ [name]: [one] }, document));
        expect(passes({ [name]: own }, document)).toBe(any);
      }),
    );
  });

  test('pass what any branch of an $or passes by itself', () => {
    fc.assert(
      fc.property(fc.array(policy, { minLength: 2, maxLength: 3 }), body, (branches, document) => {
        expect(passes({ $or: branches }, document)).toBe(branches.some(branch => passes(branch, document)));
      }),
    );
  });

  test('judge attributes and the same body alike', () => {
    fc.assert(
      fc.property(policy, body, (filter, document) => {
        expect(passesAsAttributes(filter, document)).toBe(passes(filter, document));
      }),
    );
  });

  test('never pass both a scalar and anything but that scalar', () => {
    fc.assert(
      fc.property(scalar, scalar, (wanted, value) => {
        const [is, isNot] = [
          passes({ size: [wanted] }, { size: value }),
          passes({ size: [{ 'anything-but': wanted }] }, { size: value }),
        ];
        expect(is).not.toBe(isNot);
      }),
    );
  });

  test('split the numbers in three by a bound: below it, at it and above it', () => {
    fc.assert(
      fc.property(small, small, (bound, value) => {
        const holds = ['<', '=', '>'].map(operator =>
          passes({ seats: [{ numeric: [operator, bound] }] }, { seats: value }),
        );
        expect(holds.filter(Boolean)).toHaveLength(1);
      }),
    );
  });

  test('say of every body whether a key is there or not, never both', () => {
    fc.assert(
      fc.property(key, body, (name, document) => {
        expect(passes({ [name]: [{ exists: true }] }, document)).toBe(name in document);
        expect(passes({ [name]: [{ exists: false }] }, document)).toBe(!(name in document));
      }),
    );
  });

  test('compile or refuse whatever JSON they are given, in an error of their own', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('MessageBody' as const, 'MessageAttributes' as const), (text, scope) => {
        try {
          expect(new FilterPolicy(text, scope).text).toBe(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'FilterPolicyError' });
        }
      }),
    );
  });
});
