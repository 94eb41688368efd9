import fc from 'fast-check';
import { FilterPolicy, parsedObject, readAttributes } from '../../../policy/filter/filter-policy';
import type { FilterPolicyScope } from '../../../policy/filter/filter-tree';

type Attributes = Record<string, { DataType: string; StringValue?: string; BinaryValue?: Uint8Array }>;

const messageOf = (body: string, attributes: Attributes = {}) => ({
  filterable: readAttributes(attributes),
  document: parsedObject(body),
});

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
  [{ 'anything-but': { wildcard: 'test-*' } }, text('prod-us'), true],
  [{ 'anything-but': { wildcard: 'test-*' } }, text('test-staging'), false],
  [{ wildcard: '*-error' }, text('system-error'), true],
  [{ wildcard: '*-error' }, text('system-warning'), false],
  [{ wildcard: '*/src/*.js' }, text('app/src/index.js'), true],
  [{ wildcard: '*' }, text('anything'), true],
  [{ wildcard: 'a*' }, array('b', 'ab'), true],
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
  // "five digits of accuracy after the decimal point"
  [{ numeric: ['>', 0] }, number('0.000001'), false],
  [{ numeric: ['>', 0] }, number('0.00001'), true],
  [{ numeric: ['=', 301.8] }, number('301.8000001'), true],
  [301.8, number('301.8000001'), true],
  [{ 'anything-but': 301.8 }, number('301.8000001'), false],
  [{ 'anything-but': [1, 301.8] }, number('301.8000001'), false],
  // "the value can range from -10⁹ to 10⁹"
  [{ numeric: ['>', 0] }, number(2e9), false],
  [2_000_000_000.000_001, number('2000000000.000001'), true],
])('an operator on a message attribute %j of %j: %s', (rule, attribute, passes) => {
  const reason = rejection({ x: [rule] }, attribute ? { x: attribute, other: text('y') } : { other: text('y') });
  expect(reason).toBe(passes ? undefined : 'MessageAttributes');
});

describe('a filter policy on message attributes', () => {
  test('requires every key, and for each key any of its rules', () => {
    const policy = { store: ['example_corp'], status: ['confirmed', { prefix: 'cancel' }] };
    expect(rejection(policy, { store: text('example_corp'), status: text('cancelled') })).toBeUndefined();
    expect(rejection(policy, { store: text('example_corp'), status: text('open') })).toBe('MessageAttributes');
    expect(rejection(policy, { status: text('confirmed') })).toBe('MessageAttributes');
  });

  test('accepts any branch of an $or, together with the other keys', () => {
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
  ])('treats an $or with %s as an ordinary key, and refuses its malformed list', (_title, or) => {
    expect(() => new FilterPolicy(JSON.stringify({ $or: or }), 'MessageAttributes')).toThrow();
  });

  test('treats an $or of plain values as an ordinary key', () => {
    expect(rejection({ $or: ['a', 'b'] }, { $or: text('b') })).toBeUndefined();
  });

  test('gives the reason: the message has no attributes, invalid ones, or others', () => {
    const policy = { x: ['wanted'] };
    expect(rejection(policy, {})).toBe('NoMessageAttributes');
    expect(rejection(policy, { x: text('other') })).toBe('MessageAttributes');
    expect(rejection(policy, { x: { DataType: 'String.Array', StringValue: '["unfinished' } })).toBe(
      'InvalidAttributes',
    );
    expect(rejection(policy, { x: { DataType: 'String.Array', StringValue: '{"a":1}' } })).toBe('InvalidAttributes');
  });

  /**
   * "`exists: false` only matches if at least one attribute is present. An empty set of attributes results in the
   * filter not matching."
   * @see https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html
   */
  test('rejects every message without attributes, even if it requires that one be absent', () => {
    const policy = { x: [{ exists: false }] };
    expect(rejection(policy, {})).toBe('NoMessageAttributes');
    expect(rejection(policy, { y: text('any') })).toBeUndefined();
  });

  test('ignores binary attributes', () => {
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
    ['a wildcard', { type: [{ wildcard: '*_event' }] }, { type: 'click_event' }, true],
    ['a number to five decimals', { total: [0.1] }, { total: 0.100_000_1 }, true],
  ])('%s', (_title, policy, body, passes) => {
    expect(bodyRejection(policy, body)).toBe(passes ? undefined : 'MessageBody');
  });

  /** Recorded on AWS in May 2024, each of these messages passed. */
  test.each([
    { object: { nested: { test: 'string.value' } } },
    { 'object.nested.test': 'string.value' },
    { 'object.nested': { test: 'string.value' } },
    { object: { 'nested.test': 'string.value' } },
  ])('treats a key with dots as nested keys: %j', body => {
    for (const policy of [
      { object: { nested: { test: ['string.value'] } } },
      { 'object.nested.test': ['string.value'] },
      { 'object.nested': { test: ['string.value'] } },
    ]) {
      expect(bodyRejection(policy, body)).toBeUndefined();
    }
  });

  /** Recorded on AWS in May 2024: "Records" with the wanted values in different objects did not pass. */
  test('requires the values of keys in one object of a list, and every $or in it', () => {
    const policy = { Records: { s3: { key: [{ prefix: 'auto-' }] }, $or: [{ name: ['Put'] }, { name: ['Post'] }] } };
    const record = (key: string, name: string) => ({ s3: [[{ key }]], name });
    expect(bodyRejection(policy, { Records: [record('home-', 'x'), record('auto-1', 'Post')] })).toBeUndefined();
    expect(bodyRejection(policy, { Records: [record('home-1', 'Put'), record('auto-1', 'x')] })).toBe('MessageBody');
  });

  test.each(['no JSON', '[1]', '"text"', 'null', '7'])('rejects a body that is not a JSON object: %s', body => {
    expect(bodyRejection({ a: [1] }, body)).toBe('InvalidMessageBody');
  });
});

describe('a malformed filter policy', () => {
  /** Every text and position in this table was recorded on AWS in May 2024. */
  test.each<[policy: string, problem: string, column: number]>([
    ['{"key":[["value"]]}', 'Match value must be String, number, true, false, or null', 10],
    ['{"key":[{"wrong-operator":true}]}', 'Unrecognized match type wrong-operator', 31],
    ['{"key":[{"suffix":"value","prefix":"value2"}]}', 'Only one key allowed in match expression', 37],
    ['{"key":[{"suffix":100}]}', 'suffix match pattern must be a string', 22],
    ['{"key":[{"suffix":null}]}', 'suffix match pattern must be a string', 23],
    ['{"key":[{"suffix":[]}]}', 'suffix match pattern must be a string', 20],
    ['{"key":[{"suffix":["test","test2"]}]}', 'suffix match pattern must be a string', 20],
    ['{"key":{"suffix":"value"}}', '"suffix" must be an object or an array', 19],
    ['{"key":{"suffix":"value","prefix":"value"}}', '"suffix" must be an object or an array', 19],
    ['{"key_a":"value_one"}', '"key_a" must be an object or an array', 11],
    ['{"key":[{"numeric":[]}]}', 'Invalid member in numeric match: ]', 22],
    ['{"key":[{"numeric":["operator"]}]}', 'Unrecognized numeric range operator: operator', 32],
    ['{"key":[{"numeric":[1,"<="]}]}', 'Invalid member in numeric match: 1', 22],
    ['{"key":[{"numeric":["=","000"]}]}', 'Value of equals must be numeric', 26],
    ['{"key":[{"numeric":[">="]}]}', 'Value of >= must be numeric', 26],
    ['{"key":[{"numeric":["<",100,">",10]}]}', 'Too many elements in numeric expression', 30],
    ['{"key":[{"numeric":[">=",1,">",2]}]}', 'Bad numeric range operator: >', 31],
    ['{"key":[{"numeric":[">",3,"<",1]}]}', 'Bottom must be less than top', 33],
    ['{"key":[{"numeric":[">",20,"<="]}]}', 'Value of <= must be numeric', 33],
    ['{"key":[{"numeric":[">",20,30]}]}', 'Bad value in numeric range: 30', 30],
    ['{"key":[{"numeric":[">",20,"test"]}]}', 'Bad numeric range operator: test', 34],
    ['{"key":[{"numeric":[">","20","<","30"]}]}', 'Value of > must be numeric', 26],
    ['{"key":[{"numeric":[">",20,"<","30"]}]}', 'Value of < must be numeric', 33],
    ['{"key":[{"numeric":[">",20,"<",30,"<",50]}]}', 'Too many terms in numeric range expression', 36],
    ['{"key":[{"exists":null}]}', 'exists match pattern must be either true or false.', 23],
    ['{"key":[{"exists":"no"}]}', 'exists match pattern must be either true or false.', 20],
    ['{"key":[{"anything-but":{"wrong-operator":null}}]}', 'Unsupported anything-but pattern: wrong-operator', 47],
    ['{"key":[{"anything-but":{"suffix":"test"}}]}', 'Unsupported anything-but pattern: suffix', 36],
    ['{"key":[{"anything-but":{"exists":false}}]}', 'Unsupported anything-but pattern: exists', 40],
    ['{"key":[{"anything-but":{"prefix":false}}]}', 'prefix match pattern must be a string', 40],
  ])('%s: %s (recorded on AWS)', (policy, problem, column) => {
    const text = `${problem}\n at [Source: (String)"${policy}"; line: 1, column: ${column}]`;
    for (const scope of ['MessageAttributes', 'MessageBody'] satisfies FilterPolicyScope[]) {
      expect(() => new FilterPolicy(policy, scope)).toThrow(new Error(text));
    }
  });

  test.each<[unknown, string]>([
    [{ x: 5 }, '"x" must be an object or an array'],
    [{ x: [] }, 'Empty arrays are not allowed'],
    [{ x: [{ toString: 'y' }] }, 'Unrecognized match type toString'],
    [{ x: [{ numeric: ['constructor', 5] }] }, 'Unrecognized numeric range operator: constructor'],
    [{ x: [{}] }, 'Match expression name not found'],
    [{ x: [{ 'equals-ignore-case': ['a'] }] }, 'equals-ignore-case match pattern must be a string'],
    [{ x: [{ 'anything-but': [true] }] }, 'Inside anything but list, start|null|boolean is not supported.'],
    [{ x: [{ 'anything-but': { numeric: ['=', 1] } }] }, 'Unsupported anything-but pattern: numeric'],
    [{ x: [{ 'anything-but': { wildcard: ['a*'] } }] }, 'wildcard match pattern must be a string'],
    [{ x: [{ wildcard: 5 }] }, 'wildcard match pattern must be a string'],
    [{ x: [{ wildcard: 'a**' }] }, 'Consecutive wildcard characters at pos 2'],
    [{ x: [{ numeric: 5 }] }, 'Value of numeric must be an array.'],
    [{ x: [{ numeric: ['>', 2e9] }] }, 'Value must be between -1.0E9 and 1.0E9, inclusive'],
    [{ x: [{ numeric: ['>', 5, '<', 5.000_001] }] }, 'Bottom must be less than top'],
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
      expect(() => new FilterPolicy(JSON.stringify(policy), scope)).toThrow(message);
    }
  });

  /**
   * Three asterisks in a wildcard at most, and 100 points: one for a single asterisk, three for each of several, the
   * sum of a key times its number of wildcards.
   * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
   */
  test.each<[unknown, boolean]>([
    [{ x: [{ wildcard: 'a*b*c*' }] }, true],
    [{ x: [{ wildcard: 'a*b*c*d*' }] }, false],
    [{ x: [{ wildcard: 'a*b*c*\\*' }] }, true],
    [{ x: [{ 'anything-but': { wildcard: 'a*b*c*d*' } }] }, false],
    [{ x: Array.from({ length: 10 }, (_, i) => ({ wildcard: `${i}*` })) }, true],
    [{ x: Array.from({ length: 11 }, (_, i) => ({ wildcard: `${i}*` })) }, false],
    [{ x: Array.from({ length: 4 }, (_, i) => ({ wildcard: `${i}*-*` })) }, true],
    [{ x: Array.from({ length: 5 }, (_, i) => ({ wildcard: `${i}*-*` })) }, false],
    [{ x: Array.from({ length: 10 }, (_, i) => ({ wildcard: `${i}*` })), y: [{ wildcard: '*' }] }, false],
  ])('with many wildcards is accepted or refused: %j is accepted: %s', (policy, accepted) => {
    const make = () => new FilterPolicy(JSON.stringify(policy), 'MessageBody');
    if (accepted) expect(make).not.toThrow();
    else expect(make).toThrow('Filter policy is too complex');
  });

  test('is nested on message attributes, also inside an $or', () => {
    const message = 'Filter policy scope MessageAttributes does not support nested filter policy';
    for (const policy of [{ a: { b: ['c'] } }, { $or: [{ a: { b: ['c'] } }, { d: ['e'] }] }]) {
      expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageAttributes')).toThrow(message);
      expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageBody')).not.toThrow();
    }
  });

  test('is not JSON', () => {
    expect(() => new FilterPolicy('{', 'MessageAttributes')).toThrow(
      'failed to parse JSON. Unexpected end-of-input: was expecting double-quote to start field name\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 2]',
    );
  });

  test('is larger than 256 KB', () => {
    const policy = JSON.stringify({ x: ['y'.repeat(262_144)] });
    expect(() => new FilterPolicy(policy, 'MessageBody')).toThrow('Filter policy is larger than 262144 bytes');
  });

  test('has an operator of EventBridge that SNS does not support', () => {
    const policy = JSON.stringify({ x: [{ exactly: 'a' }] });
    expect(() => new FilterPolicy(policy, 'MessageBody')).toThrow('Unrecognized match type exactly');
  });

  test('is known by its combinations: AWS’s own example has 3 levels x 4 values x 2 levels x 3 values = 72', () => {
    const policy = (values: number) => ({
      key_a: { key_b: { key_c: Array.from({ length: values }, (_, i) => `${i}`) } },
      key_d: { key_e: ['one', 'two', 'three'] },
    });
    expect(() => new FilterPolicy(JSON.stringify(policy(8)), 'MessageBody')).not.toThrow();
    expect(() => new FilterPolicy(JSON.stringify(policy(9)), 'MessageBody')).toThrow('Filter policy is too complex');
  });
});

describe('a document that a client nests deeply', () => {
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
  ])('is evaluated as a policy as deep as JSON may be: %s', (_, text, problem) => {
    expect(() => new FilterPolicy(text, 'MessageBody')).toThrow(problem);
  });

  test('is no JSON message beyond the nesting limit, and one within it', () => {
    const policy = { a: ['x'] };
    expect(bodyRejection(policy, `{"a":${nested(3_000, 'x', inList)}}`)).toBe('InvalidMessageBody');
    expect(bodyRejection(policy, `{"a":${nested(999, 'x', inList)}}`)).toBeUndefined();
    expect(bodyRejection({ a: { b: ['x'] } }, `{"a":${nested(998, { b: 'x' }, inList)}}`)).toBeUndefined();
    const deep = { DataType: 'String.Array', StringValue: nested(3_000, 'x', inList) };
    expect(rejection(policy, { a: deep })).toBe('InvalidAttributes');
  });

  test('is refused, like an operator that cannot be written as text', () => {
    const policy = { a: [{ numeric: [{ toString: 1 }, 2] }] };
    expect(() => new FilterPolicy(JSON.stringify(policy), 'MessageBody')).toThrow('Invalid member in numeric match: {');
  });
});

const KEYS = ['size', 'seats', 'status'];
const key = fc.constantFrom(...KEYS);
const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'AB', '1');
const small = fc.integer({ min: -3, max: 3 });
const scalar = fc.oneof(word, small);
const listOf = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { minLength: 1, maxLength: 3 });

const rule = fc.oneof(
  scalar,
  fc.record({ prefix: word }),
  fc.record({ suffix: word }),
  fc.record({ 'equals-ignore-case': word }),
  fc.record({ 'anything-but': fc.oneof(scalar, listOf(word), listOf(small)) }),
  fc.record({ wildcard: fc.constantFrom('*', 'a*', '*b', 'a*c') }),
  fc.record({ exists: fc.boolean() }),
  fc.tuple(fc.constantFrom('=', '<', '<=', '>', '>='), small).map(numeric => ({ numeric })),
);
const rules = fc.array(rule, { minLength: 1, maxLength: 3 });
const policy = fc.dictionary(key, rules, { minKeys: 1, maxKeys: 3 });
const body = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 })));

function passes(filter: unknown, document: unknown): boolean {
  const message = messageOf(JSON.stringify(document));
  return new FilterPolicy(JSON.stringify(filter), 'MessageBody').rejects(message) === undefined;
}

/** The same document as message attributes. */
function passesAsAttributes(filter: unknown, document: Record<string, unknown>): boolean {
  const attributes = Object.entries(document).map(([name, value]) => {
    if (Array.isArray(value)) return [name, { DataType: 'String.Array', StringValue: JSON.stringify(value) }] as const;
    return [name, { DataType: typeof value === 'number' ? 'Number' : 'String', StringValue: String(value) }] as const;
  });
  const message = messageOf('order', Object.fromEntries(attributes));
  return new FilterPolicy(JSON.stringify(filter), 'MessageAttributes').rejects(message) === undefined;
}

describe('any filter policy', () => {
  test('accepts what each of its keys accepts alone: keys are joined by AND', () => {
    fc.assert(
      fc.property(policy, body, (filter, document) => {
        const each = Object.entries(filter).every(([name, own]) => passes({ [name]: own }, document));
        expect(passes(filter, document)).toBe(each);
      }),
    );
  });

  test('accepts what any rule of a key accepts alone: rules are joined by OR', () => {
    fc.assert(
      fc.property(key, rules, body, (name, own, document) => {
        const any = own.some(one => passes({ [name]: [one] }, document));
        expect(passes({ [name]: own }, document)).toBe(any);
      }),
    );
  });

  test('accepts what any branch of an $or accepts alone', () => {
    fc.assert(
      fc.property(fc.array(policy, { minLength: 2, maxLength: 3 }), body, (branches, document) => {
        expect(passes({ $or: branches }, document)).toBe(branches.some(branch => passes(branch, document)));
      }),
    );
  });

  test('gives the same result for attributes and for the same body, unless there are none', () => {
    fc.assert(
      fc.property(policy, body, (filter, document) => {
        const hasAttributes = Object.keys(document).length > 0;
        expect(passesAsAttributes(filter, document)).toBe(hasAttributes && passes(filter, document));
      }),
    );
  });

  test('never accepts both a scalar and anything but that scalar', () => {
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

  test('splits the numbers in three by a bound: below it, equal to it and above it', () => {
    fc.assert(
      fc.property(small, small, (bound, value) => {
        const holds = ['<', '=', '>'].map(operator =>
          passes({ seats: [{ numeric: [operator, bound] }] }, { seats: value }),
        );
        expect(holds.filter(Boolean)).toHaveLength(1);
      }),
    );
  });

  test('says of every body that a key exists or that it does not, never both', () => {
    fc.assert(
      fc.property(key, body, (name, document) => {
        expect(passes({ [name]: [{ exists: true }] }, document)).toBe(name in document);
        expect(passes({ [name]: [{ exists: false }] }, document)).toBe(!(name in document));
      }),
    );
  });

  test('of JSON is compiled, or refused with a FilterPolicyError', () => {
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
