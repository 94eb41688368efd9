import fc from 'fast-check';
import { FilterPolicy, type FilterPolicyScope } from '../../../../local/sns/filter/filter-policy';
import { Message } from '../../../../local/sns/publish/message';
import { Topic } from '../../../../local/sns/topic/topic';
import { START_MS, TOPIC_ARN } from '../sns-fixture';

describe('filter policy', () => {
  type Attributes = Record<string, { DataType: string; StringValue?: string; BinaryValue?: Uint8Array }>;

  const TOPIC = new Topic({ arn: TOPIC_ARN, name: 'Rental-Orders', account: '123456789012' });

  function messageOf(body: string, attributes: Attributes = {}): Message {
    return new Message({ id: '1', topic: TOPIC, body, attributes, publishedAtMs: START_MS });
  }

  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  const number = (value: number | string) => ({ DataType: 'Number', StringValue: String(value) });
  const array = (...values: unknown[]) => ({ DataType: 'String.Array', StringValue: JSON.stringify(values) });

  function rejection(policy: unknown, attributes: Attributes): string | undefined {
    return new FilterPolicy(JSON.stringify(policy), 'MessageAttributes').rejects(messageOf('', attributes));
  }

  function bodyRejection(policy: unknown, body: unknown): string | undefined {
    const message = messageOf(typeof body === 'string' ? body : JSON.stringify(body));
    return new FilterPolicy(JSON.stringify(policy), 'MessageBody').rejects(message);
  }

  /** @see https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html and numeric-value-matching.html */
  describe('an operator on a message attribute', () => {
    test.each<[unknown, Attributes['x'] | undefined, boolean]>([
      ['rugby', text('rugby'), true],
      ['rugby', text('Rugby'), false],
      ['rugby', undefined, false],
      ['rugby', array('tennis', 'rugby'), true],
      ['rugby', array('tennis', 'baseball'), false],
      [5, number(5), true],
      [5, number('5.0'), true],
      [5, text('5'), false],
      ['5', number(5), false],
      [true, array(true, 'x'), true],
      [null, array(null), true],
      [null, text('null'), false],
      [{ 'anything-but': 'rugby' }, text('tennis'), true],
      [{ 'anything-but': 'rugby' }, text('rugby'), false],
      [{ 'anything-but': 'rugby' }, undefined, false],
      [{ 'anything-but': ['rugby', 'tennis'] }, text('baseball'), true],
      [{ 'anything-but': ['rugby', 'tennis'] }, text('tennis'), false],
      [{ 'anything-but': ['rugby', 'tennis'] }, array('rugby', 'baseball'), true],
      [{ 'anything-but': ['rugby', 'tennis'] }, array('rugby', 'tennis'), false],
      [{ 'anything-but': [100, 500] }, number(101), true],
      [{ 'anything-but': [100, 500] }, number(100), false],
      [{ 'anything-but': { prefix: 'order-' } }, text('data-entry'), true],
      [{ 'anything-but': { prefix: 'order-' } }, text('order-cancelled'), false],
      [{ 'anything-but': { suffix: 'ball' } }, text('baseball'), false],
      [{ 'anything-but': { suffix: 'ball' } }, text('rugby'), true],
      [{ 'equals-ignore-case': 'tennis' }, text('TeNNis'), true],
      [{ 'equals-ignore-case': 'tennis' }, text('tennis!'), false],
      [{ prefix: 'bas' }, text('baseball'), true],
      [{ prefix: 'bas' }, text('rugby'), false],
      [{ prefix: '1' }, number(12), false],
      [{ suffix: 'ball' }, text('baseball'), true],
      [{ suffix: 'ball' }, text('ballet'), false],
      [{ cidr: '10.0.0.0/24' }, text('10.0.0.255'), true],
      [{ cidr: '10.0.0.0/24' }, text('10.1.0.0'), false],
      [{ cidr: '10.0.0.0/24' }, text('no address'), false],
      [{ cidr: '2001:db8::/32' }, text('2001:db8::1'), true],
      [{ exists: true }, text('anything'), true],
      [{ exists: true }, undefined, false],
      [{ exists: false }, undefined, true],
      [{ exists: false }, text('anything'), false],
      [{ numeric: ['=', 301.5] }, number('301.50'), true],
      [{ numeric: ['=', 301.5] }, number(301), false],
      [{ numeric: ['=', 301.5] }, text('301.5'), false],
      [{ numeric: ['<', 0] }, number(-1), true],
      [{ numeric: ['<', 0] }, number(0), false],
      [{ numeric: ['<=', 0] }, number(0), true],
      [{ numeric: ['>', 0] }, number(0), false],
      [{ numeric: ['>=', 0] }, number(0), true],
      [{ numeric: ['>', 0, '<=', 150] }, number(150), true],
      [{ numeric: ['>', 0, '<=', 150] }, number(0), false],
      [{ numeric: ['>=', 0, '<', 150] }, number(150), false],
      [{ numeric: ['>=', 0, '<', 150] }, array(200, 149.99), true],
    ])('%j of %j: %s', (rule, attribute, passes) => {
      const reason = rejection({ x: [rule] }, attribute ? { x: attribute, other: text('y') } : { other: text('y') });
      expect(reason).toBe(passes ? undefined : 'MessageAttributes');
    });
  });

  describe('a filter policy on message attributes', () => {
    test('wants every key, and of each key any of its rules', () => {
      const policy = { store: ['example_corp'], status: ['confirmed', { prefix: 'cancel' }] };
      expect(rejection(policy, { store: text('example_corp'), status: text('cancelled') })).toBeUndefined();
      expect(rejection(policy, { store: text('example_corp'), status: text('open') })).toBe('MessageAttributes');
      expect(rejection(policy, { status: text('confirmed') })).toBe('MessageAttributes');
    });

    test('takes any branch of an $or, together with the other keys', () => {
      const policy = {
        source: ['aws.cloudwatch'],
        $or: [{ metric: ['CPU', 'Disk'] }, { namespace: ['AWS/EC2', 'AWS/ES'], grade: [{ numeric: ['>', 5] }] }],
      };
      const source = text('aws.cloudwatch');
      expect(rejection(policy, { source, metric: text('CPU') })).toBeUndefined();
      expect(rejection(policy, { source, namespace: text('AWS/ES'), grade: number(6) })).toBeUndefined();
      expect(rejection(policy, { source, namespace: text('AWS/ES'), grade: number(5) })).toBe('MessageAttributes');
      expect(rejection(policy, { metric: text('CPU') })).toBe('MessageAttributes');
    });

    test.each([
      ['a list of one', [{ a: ['b'] }]],
      ['a key that is an operator', [{ a: ['b'] }, { numeric: ['c'] }]],
    ])('takes an $or with %s for an ordinary key, and so finds its list malformed', (_title, or) => {
      expect(() => new FilterPolicy(JSON.stringify({ $or: or }), 'MessageAttributes')).toThrow();
    });

    test('takes an $or of plain values for an ordinary key', () => {
      expect(rejection({ $or: ['a', 'b'] }, { $or: text('b') })).toBeUndefined();
    });

    test('says by the reason whether the message had no attributes, bad ones, or others', () => {
      const policy = { x: ['wanted'] };
      expect(rejection(policy, {})).toBe('NoMessageAttributes');
      expect(rejection(policy, { x: text('other') })).toBe('MessageAttributes');
      expect(rejection(policy, { x: { DataType: 'String.Array', StringValue: '["unfinished' } })).toBe(
        'InvalidAttributes',
      );
      expect(rejection(policy, { x: { DataType: 'String.Array', StringValue: '{"a":1}' } })).toBe('InvalidAttributes');
    });

    test('passes a message without attributes where it asks that one be absent', () => {
      expect(rejection({ x: [{ exists: false }] }, {})).toBeUndefined();
    });

    test('does not see binary attributes', () => {
      const binary = { DataType: 'Binary', BinaryValue: Buffer.from('wanted') };
      expect(rejection({ x: ['wanted'] }, { x: binary })).toBe('MessageAttributes');
      expect(rejection({ x: [{ exists: false }] }, { x: binary })).toBeUndefined();
    });
  });

  /** @see https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html */
  describe('a filter policy on the message body', () => {
    test.each<[string, unknown, unknown, boolean]>([
      ['a string', { status: ['confirmed'] }, { status: 'confirmed' }, true],
      ['another string', { status: ['confirmed'] }, { status: 'open' }, false],
      ['a number', { total: [42] }, { total: 42 }, true],
      ['a number for a string', { total: ['42'] }, { total: 42 }, false],
      ['true', { paid: [true] }, { paid: true }, true],
      ['true for false', { paid: [true] }, { paid: false }, false],
      ['null', { coupon: [null] }, { coupon: null }, true],
      ['null for nothing', { coupon: [null] }, {}, false],
      ['a nested key', { order: { car: { size: ['small'] } } }, { order: { car: { size: 'small' } } }, true],
      ['a nested key that is not there', { order: { size: ['small'] } }, { order: 'small' }, false],
      ['any value of a list', { sizes: ['small'] }, { sizes: ['large', ['small']] }, true],
      ['no value of a list', { sizes: ['small'] }, { sizes: ['large'] }, false],
      ['an object of a list', { cars: { size: ['small'], seats: [4] } }, { cars: [{ size: 'small', seats: 4 }] }, true],
      [
        'two objects of a list, each by half',
        { cars: { size: ['small'], seats: [4] } },
        { cars: [{ size: 'small' }, { seats: 4 }] },
        false,
      ],
      ['a key that is there', { order: { id: [{ exists: true }] } }, { order: { id: 1 } }, true],
      ['a key that must not be there', { order: { id: [{ exists: false }] } }, { order: {} }, true],
      ['a key whose whole object is not there', { order: { id: [{ exists: false }] } }, {}, true],
      ['a key that is an object, which is no leaf', { order: [{ exists: true }] }, { order: { id: 1 } }, false],
      ['an $or below a key', { order: { $or: [{ a: [1] }, { b: [2] }] } }, { order: { b: 2 } }, true],
      ['anything but a number', { total: [{ 'anything-but': 42 }] }, { total: 43 }, true],
      ['a member of every object', { toString: [{ exists: true }] }, {}, false],
    ])('%s', (_title, policy, body, passes) => {
      expect(bodyRejection(policy, body)).toBe(passes ? undefined : 'MessageBody');
    });

    test.each(['no JSON', '[1]', '"text"', 'null', '7'])('turns away a body that is no JSON object: %s', body => {
      expect(bodyRejection({ a: [1] }, body)).toBe('InvalidMessageBody');
    });
  });

  describe('a filter policy that is malformed', () => {
    test.each<[unknown, string]>([
      [{ x: 'y' }, '"x" must be an object or an array'],
      [{ x: 5 }, '"x" must be an object or an array'],
      [{ x: [] }, 'Empty arrays are not allowed'],
      [{ x: [['y']] }, 'Match value must be String, number, true, false, or null'],
      [{ x: [{ like: 'y' }] }, 'Unrecognized match type like'],
      [{ x: [{ toString: 'y' }] }, 'Unrecognized match type toString'],
      [{ x: [{ numeric: ['constructor', 5] }] }, 'Unrecognized numeric range operator: constructor'],
      [{ x: [{ prefix: 'a', suffix: 'b' }] }, 'Only one key allowed in match expression'],
      [{ x: [{}] }, 'Only one key allowed in match expression'],
      [{ x: [{ prefix: 5 }] }, 'prefix match pattern must be a string'],
      [{ x: [{ suffix: null }] }, 'suffix match pattern must be a string'],
      [{ x: [{ 'equals-ignore-case': ['a'] }] }, 'equals-ignore-case match pattern must be a string'],
      [{ x: [{ exists: 'yes' }] }, 'exists match pattern must be either true or false.'],
      [{ x: [{ 'anything-but': [] }] }, 'Empty arrays are not allowed'],
      [{ x: [{ 'anything-but': [true] }] }, 'Inside anything but list, start|null|boolean is not supported.'],
      [{ x: [{ 'anything-but': { numeric: ['=', 1] } }] }, 'Unsupported anything-but pattern: numeric'],
      [{ x: [{ numeric: 5 }] }, 'Value of numeric must be an array.'],
      [{ x: [{ numeric: [] }] }, 'Invalid member in numeric match: ]'],
      [{ x: [{ numeric: [5] }] }, 'Invalid member in numeric match: 5'],
      [{ x: [{ numeric: ['!', 5] }] }, 'Unrecognized numeric range operator: !'],
      [{ x: [{ numeric: ['='] }] }, 'Value of equals must be numeric'],
      [{ x: [{ numeric: ['<', '5'] }] }, 'Value of < must be numeric'],
      [{ x: [{ numeric: ['=', 5, '<', 6] }] }, 'Too many elements in numeric expression'],
      [{ x: [{ numeric: ['>', 5, 6] }] }, 'Bad value in numeric range: 6'],
      [{ x: [{ numeric: ['>', 5, '>', 6] }] }, 'Bad numeric range operator: >'],
      [{ x: [{ numeric: ['>', 20, '<'] }] }, 'Value of < must be numeric'],
      [{ x: [{ numeric: ['>', 5, '<', 5] }] }, 'Bottom must be less than top'],
      [{ x: [{ numeric: ['>', 5, '<', 6, '<'] }] }, 'Too many terms in numeric range expression'],
      [{ x: [{ cidr: '10.0.0.0' }] }, "Malformed CIDR, one '/' required"],
      [{ x: [{ cidr: '10.0.0.0/33' }] }, 'Malformed CIDR, mask bits must be < 33'],
      [{ x: [{ cidr: '10.0.0.0/x' }] }, 'Malformed CIDR, mask bits must be an integer'],
      [{ x: [{ cidr: 'host/8' }] }, 'Malformed CIDR, invalid IP address'],
      [{ x: [{ cidr: 8 }] }, 'prefix match pattern must be a string'],
      [{ a: ['1'], b: ['1'], c: ['1'], d: ['1'], e: ['1'], f: ['1'] }, 'Filter policy can not have more than 5 keys'],
      [{ x: Array.from({ length: 151 }, (_, i) => i) }, 'Filter policy is too complex'],
      ['text', 'Filter policy must be a JSON object'],
    ])('%j: %s', (policy, message) => {
      for (const scope of ['MessageAttributes', 'MessageBody'] satisfies FilterPolicyScope[]) {
        expect(() => new FilterPolicy(JSON.stringify(policy), scope)).toThrow(new Error(message));
      }
    });

    test('nests on message attributes, also inside an $or', () => {
      const message = 'Filter policy scope MessageAttributes does not support nested filter policy';
      for (const policy of [{ a: { b: ['c'] } }, { $or: [{ a: { b: ['c'] } }, { d: ['e'] }] }]) {
        expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageAttributes')).toThrow(message);
        expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageBody')).not.toThrow();
      }
    });

    test('is not JSON at all', () => {
      expect(() => new FilterPolicy('{', 'MessageAttributes')).toThrow(
        'failed to parse JSON. Unexpected end-of-input: was expecting double-quote to start field name\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 2]',
      );
    });

    test('is larger than 256 KB', () => {
      const policy = JSON.stringify({ x: ['y'.repeat(262_144)] });
      expect(() => new FilterPolicy(policy, 'MessageBody')).toThrow('Filter policy is larger than 262144 bytes');
    });

    test('has an operator SNS does not know, such as EventBridge’s wildcard', () => {
      const policy = JSON.stringify({ x: [{ wildcard: 'a*' }] });
      expect(() => new FilterPolicy(policy, 'MessageBody')).toThrow('Unrecognized match type wildcard');
    });

    test('counts AWS’s own example of combinations: 3 levels x 4 values x 2 levels x 3 values = 72', () => {
      const policy = (values: number) => ({
        key_a: { key_b: { key_c: Array.from({ length: values }, (_, i) => `${i}`) } },
        key_d: { key_e: ['one', 'two', 'three'] },
      });
      expect(() => new FilterPolicy(JSON.stringify(policy(8)), 'MessageBody')).not.toThrow();
      expect(() => new FilterPolicy(JSON.stringify(policy(9)), 'MessageBody')).toThrow('Filter policy is too complex');
    });
  });

  describe('a document nested as deeply as a client likes', () => {
    const nested = (depth: number, inside: unknown, wrap: (text: string) => string): string => {
      let text = JSON.stringify(inside);
      for (let i = 0; i < depth; i += 1) text = wrap(text);
      return text;
    };
    const inList = (text: string) => `[${text}]`;
    const inObject = (text: string) => `{"a":${text}}`;
    const inOr = (text: string) => `{"$or":[${text},{"b":[1]}]}`;

    test.each([
      ['lists', inList, 'failed to parse JSON'],
      ['objects', inObject, 'failed to parse JSON'],
      ['alternatives', inOr, 'failed to parse JSON'],
    ])('is refused as a policy: %s', (_, wrap, problem) => {
      for (const depth of [3_000, 10_000]) {
        const text = inObject(nested(depth, ['x'], wrap));
        expect(() => new FilterPolicy(text, 'MessageBody')).toThrow(problem);
      }
    });

    test.each([
      ['lists', `{"a":${nested(998, ['x'], inList)}}`, 'Match value must be String, number, true, false, or null'],
      ['objects', nested(998, ['x'], inObject), 'Filter policy is too complex'],
      ['alternatives', nested(499, { b: [1] }, inOr), 'Filter policy is too complex'],
    ])('is judged as a policy as far as JSON goes: %s', (_, text, problem) => {
      expect(() => new FilterPolicy(text, 'MessageBody')).toThrow(problem);
    });

    test('is no document as a message, past what JSON may nest, and a document within it', () => {
      const policy = { a: ['x'] };
      expect(bodyRejection(policy, `{"a":${nested(3_000, 'x', inList)}}`)).toBe('InvalidMessageBody');
      expect(bodyRejection(policy, `{"a":${nested(999, 'x', inList)}}`)).toBeUndefined();
      expect(bodyRejection({ a: { b: ['x'] } }, `{"a":${nested(998, { b: 'x' }, inList)}}`)).toBeUndefined();
      const deep = { DataType: 'String.Array', StringValue: nested(3_000, 'x', inList) };
      expect(rejection(policy, { a: deep })).toBe('InvalidAttributes');
    });

    test('and an operator that cannot be written as text are refused', () => {
      const policy = { a: [{ numeric: [{ toString: 1 }, 2] }] };
      expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageBody')).toThrow(
        'Invalid member in numeric match: {',
      );
    });
  });
});

describe('filter properties', () => {
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
      if (Array.isArray(value))
        return [name, { DataType: 'String.Array', StringValue: JSON.stringify(value) }] as const;
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

    test('compile or refuse any JSON, with a FilterPolicyError', () => {
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
});
