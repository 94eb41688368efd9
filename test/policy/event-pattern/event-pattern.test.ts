import fc from 'fast-check';
import { compileEventPattern } from '../../../policy/event-pattern/event-pattern';
import { EventPatternError } from '../../../policy/event-pattern/located-json';

/** The event most of AWS's examples are about, shortened. */
const EVENT = {
  version: '0',
  id: 'ddddd4-aaaa-7777-4444-345dd43cc333',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '012345679012',
  time: '2017-10-02T16:24:49Z',
  region: 'us-east-1',
  resources: ['arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000'],
  detail: {
    'c-count': 5,
    'd-count': 3,
    'x-limit': 301.8,
    'source-ip': '10.0.0.33',
    'instance-id': 'i-000000aaaaaa00000',
    state: 'running',
    FilePath: 'dir/files/picture.PNG',
    note: null,
    isReady: true,
    empty: '',
    nothing: [],
  },
};

/** Of `detail.<field>`: the pattern's list, and whether the event above satisfies it. */
const LISTS: readonly [field: string, list: readonly unknown[], matches: boolean][] = [
  ['state', ['initializing', 'running'], true],
  ['state', ['initializing'], false],
  ['state', ['Running'], false],
  ['c-count', [5], true],
  ['c-count', ['5'], false],
  ['x-limit', [3.018e2], true],
  ['isReady', [true], true],
  ['isReady', ['true'], false],
  ['note', [null], true],
  ['note', [''], false],
  ['empty', [''], true],
  ['empty', [null], false],
  ['missing', [null], false],
  ['nothing', [null], false],
  ['state', [{ prefix: 'run' }], true],
  ['state', [{ prefix: 'unn' }], false],
  ['c-count', [{ prefix: '5' }], false],
  ['state', [{ prefix: { 'equals-ignore-case': 'RUN' } }], true],
  ['FilePath', [{ suffix: '.PNG' }], true],
  ['FilePath', [{ suffix: '.png' }], false],
  ['FilePath', [{ suffix: { 'equals-ignore-case': '.png' } }], true],
  ['state', [{ 'equals-ignore-case': 'RUNNING' }], true],
  ['state', [{ 'equals-ignore-case': 'RUN' }], false],
  ['state', [{ exactly: 'running' }], true],
  ['state', [{ 'anything-but': 'initializing' }], true],
  ['state', [{ 'anything-but': 'running' }], false],
  ['state', [{ 'anything-but': ['stopped', 'running'] }], false],
  ['c-count', [{ 'anything-but': 'running' }], true],
  ['note', [{ 'anything-but': 'running' }], true],
  ['missing', [{ 'anything-but': 'running' }], false],
  ['x-limit', [{ 'anything-but': [100, 200, 300] }], true],
  ['x-limit', [{ 'anything-but': [100, 301.8] }], false],
  ['c-count', [{ 'anything-but': 5 }], false],
  ['state', [{ 'anything-but': { prefix: 'init' } }], true],
  ['state', [{ 'anything-but': { prefix: ['init', 'run'] } }], false],
  ['c-count', [{ 'anything-but': { prefix: 'init' } }], true],
  ['FilePath', [{ 'anything-but': { suffix: '.txt' } }], true],
  ['FilePath', [{ 'anything-but': { suffix: ['.txt', '.PNG'] } }], false],
  ['state', [{ 'anything-but': { 'equals-ignore-case': ['Initializing', 'RUNNING'] } }], false],
  ['state', [{ 'anything-but': { 'equals-ignore-case': 'Stopped' } }], true],
  ['FilePath', [{ 'anything-but': { wildcard: '*/files/*' } }], false],
  ['FilePath', [{ 'anything-but': { wildcard: ['*/lib/*', '*/bin/*'] } }], true],
  ['c-count', [{ numeric: ['>', 0, '<=', 5] }], true],
  ['c-count', [{ numeric: ['>', 0, '<', 5] }], false],
  ['d-count', [{ numeric: ['<', 10] }], true],
  ['x-limit', [{ numeric: ['=', 3.018e2] }], true],
  ['x-limit', [{ numeric: ['>=', 301.8] }], true],
  ['state', [{ numeric: ['>', 0] }], false],
  ['note', [{ numeric: ['=', 0] }], false],
  ['c-count', [{ exists: true }], true],
  ['note', [{ exists: true }], true],
  ['nothing', [{ exists: true }], false],
  ['nothing', [{ exists: false }], true],
  ['missing', [{ exists: false }], true],
  ['missing', [{ exists: true }], false],
  ['missing', [{ 'anything-but': 'x' }, { exists: false }], true],
  ['source-ip', [{ cidr: '10.0.0.0/24' }], true],
  ['source-ip', [{ cidr: '10.0.1.0/24' }], false],
  ['source-ip', [{ cidr: '::/0' }], false],
  ['state', [{ cidr: '10.0.0.0/24' }], false],
  ['FilePath', [{ wildcard: 'dir/*.PNG' }], true],
  ['FilePath', [{ wildcard: '*' }], true],
  ['FilePath', [{ wildcard: '*files/pic*e.PNG' }], true],
  ['FilePath', [{ wildcard: 'dir/files/picture.PNG*.PNG' }], false],
  ['FilePath', [{ wildcard: 'dir/*.png' }], false],
  ['c-count', [{ wildcard: '*' }], false],
];

describe('an event pattern', () => {
  it.each(LISTS)('on detail.%s with %j answers %s', (field, list, matches) => {
    expect(compileEventPattern({ detail: { [field]: list } })(EVENT)).toBe(matches);
  });

  it('can be passed as text', () => {
    expect(compileEventPattern('{ "source": [ "aws.ec2", "a\\u002a" ] }')({ source: 'a*' })).toBe(true);
  });

  it('requires one element of an array of objects to meet all its conditions', () => {
    const matches = compileEventPattern({ employees: { firstName: ['Anna'], lastName: ['Smith'] } });
    expect(
      matches({
        employees: [
          { firstName: 'Anna', lastName: 'Jones' },
          { firstName: 'Peter', lastName: 'Smith' },
        ],
      }),
    ).toBe(false);
    expect(
      matches({
        employees: [
          { firstName: 'John', lastName: 'Doe' },
          { firstName: 'Anna', lastName: 'Smith' },
        ],
      }),
    ).toBe(true);
  });

  it('looks for a missing field in the element that meets the others', () => {
    const matches = compileEventPattern({ items: { a: ['x'], b: [{ exists: false }] } });
    expect(matches({ items: [{ a: 'x', b: 1 }, { a: 'y' }] })).toBe(false);
    expect(matches({ items: [{ a: 'y', b: 1 }, { a: 'x' }] })).toBe(true);
  });

  it('descends into arrays of arrays', () => {
    const matches = compileEventPattern({ a: { b: [1], c: [2] } });
    expect(matches({ a: [[{ b: 1 }], [{ b: 1, c: 2 }]] })).toBe(true);
    expect(matches({ a: [[{ b: 1 }], [{ c: 2 }]] })).toBe(false);
  });

  it('treats a dot in a name as a step, as AWS does in patterns and in events', () => {
    expect(compileEventPattern({ 'detail.state': ['running'] })(EVENT)).toBe(true);
    expect(compileEventPattern({ detail: { state: ['on'] } })({ 'detail.state': 'on' })).toBe(true);
    expect(
      compileEventPattern({ detail: { 'state.status': { status: ['on'] } } })({
        detail: { state: { status: 'on' } },
      }),
    ).toBe(false);
  });

  it('compares addresses by value, not by spelling', () => {
    const matches = compileEventPattern({ ip: ['2001:db8::1'] });
    expect(matches({ ip: '2001:0db8:0:0:0:0:0:1' })).toBe(true);
    expect(matches({ ip: '2001:db8::2' })).toBe(false);
    expect(compileEventPattern({ ip: [{ cidr: '2001:db8::/32' }] })({ ip: '2001:db8:1234:1a00::' })).toBe(true);
  });

  it('reads an asterisk and a backslash behind a backslash as plain characters', () => {
    const matches = compileEventPattern({ path: [{ wildcard: 'a\\*b\\\\*' }] });
    expect(matches({ path: 'a*b\\c' })).toBe(true);
    expect(matches({ path: 'axb\\c' })).toBe(false);
  });

  it('ignores members that objects inherit', () => {
    expect(compileEventPattern({ constructor: { name: [{ exists: true }] } })({})).toBe(false);
    expect(compileEventPattern('{"__proto__": {"a": [1]}}')(JSON.parse('{"__proto__": {"a": 1}}'))).toBe(true);
  });

  it('matches an event nested more deeply than the call stack', () => {
    const text = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    const deep: unknown = { a: JSON.parse(text) };
    expect(compileEventPattern({ a: [1] })(deep)).toBe(true);
  });
});

describe('$or', () => {
  // The example of AWS's guide: source && (metricName || (metricType && namespace) || scope).
  const matches = compileEventPattern({
    source: ['aws.cloudwatch'],
    $or: [
      { metricName: ['CPUUtilization', 'ReadLatency'] },
      { metricType: ['MetricType'], namespace: ['AWS/EC2', 'AWS/ES'] },
      { scope: ['Service'] },
    ],
  });

  it.each([
    [{ source: 'aws.cloudwatch', metricName: 'ReadLatency' }, true],
    [{ source: 'aws.cloudwatch', metricType: 'MetricType', namespace: 'AWS/ES' }, true],
    [{ source: 'aws.cloudwatch', metricType: 'MetricType' }, false],
    [{ source: 'aws.cloudwatch', scope: 'Service' }, true],
    [{ source: 'aws.other', scope: 'Service' }, false],
    [{ source: 'aws.cloudwatch' }, false],
  ])('matches %j: %s', (event, expected) => {
    expect(matches(event)).toBe(expected);
  });

  it('may be below a field, and inside another $or', () => {
    const nested = compileEventPattern({
      detail: { $or: [{ a: [1] }, { b: [1], $or: [{ c: [1] }, { d: [1] }] }] },
    });
    expect(nested({ detail: { b: 1, d: 1 } })).toBe(true);
    expect(nested({ detail: { b: 1 } })).toBe(false);
    expect(nested({ detail: { a: 1 } })).toBe(true);
  });
});

/** One field of `values` equal elements for each name, and one more that cannot match. */
function wide(names: number, values: number) {
  const keys = Array.from({ length: names }, (_, i) => `k${i}`);
  return {
    pattern: { detail: { ...Object.fromEntries(keys.map(name => [name, [1]])), z: ['never'] } },
    event: { detail: { ...Object.fromEntries(keys.map(name => [name, Array(values).fill(1)])), z: 'x' } },
  };
}

describe('The time to match a pattern', () => {
  it('does not grow with the power of the fields: arrays of scalars share nothing', () => {
    const { pattern, event } = wide(40, 50);
    expect(compileEventPattern(pattern)(event)).toBe(false);
    expect(compileEventPattern(pattern)({ detail: { ...event.detail, z: 'never' } })).toBe(true);
  });

  it('takes time that is not exponential in the number of fields, also with arrays of objects, in sequence or nested', () => {
    const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
    const beside = Object.fromEntries(
      keys.map(name => [name, Array(20).fill({ v: 1, w: [{ x: 1 }, { x: 1, y: 2 }] })]),
    );
    const wanted = Object.fromEntries(keys.map(name => [name, { v: [1], w: { x: [1], y: [2] } }]));
    expect(compileEventPattern({ ...wanted, z: [1] })({ ...beside, z: 0 })).toBe(false);
    expect(compileEventPattern({ ...wanted, z: [1] })({ ...beside, z: 1 })).toBe(true);
  });

  it('does not grow with the square of the elements', () => {
    const matches = compileEventPattern({ items: { x: [1], y: [2] } });
    const items: object[] = Array(100_000).fill({ x: 1, y: 1 });
    expect(matches({ items })).toBe(false);
    expect(matches({ items: [...items, { x: 1, y: 2 }] })).toBe(true);
  });
});

/** Patterns that `TestEventPattern` and `PutRule` refused, each with the reason AWS is on record with, place included. */
const RECORDED: readonly [pattern: string, reason: string, line: number, column: number][] = [
  ['{"int": 42}', '"int" must be an object or an array', 1, 11],
  ['{"string": "my-value"}', '"string" must be an object or an array', 1, 13],
  ['{"resources": []}', 'Empty arrays are not allowed', 1, 17],
  ['{"source": ["aws.health"], "detail": {}}', 'Empty objects are not allowed', 1, 40],
  ['["not", "a", "dict", "but valid json"]', 'Filter is not an object', 1, 2],
  [
    "{'bad': 'quotation'}",
    "Unexpected character (''' (code 39)): was expecting double-quote to start field name",
    1,
    2,
  ],
  ['{"detail": {"equal": [{"NUMERIC": ["=", 5]}]}}', 'Unrecognized match type NUMERIC', 1, 36],
  ['{"my_key": [{"EXISTS": true}]}', 'Unrecognized match type EXISTS', 1, 28],
  ['{"detail": {"c-count": [{"numeric": [">", 0, ">", 0]}]}}', 'Bad numeric range operator: >', 1, 49],
  ['{"detail": {"c-count": [{"numeric": [">", 0, "<"]}]}}', 'Value of < must be numeric', 1, 50],
  [
    '{"EventBusArn": [{"wildcard": "arn:aws:events:us-east-1:**:event-bus/*"}]}',
    'Consecutive wildcard characters at pos 26',
    1,
    72,
  ],
  ['{"EventBusArn": [{"wildcard": 123}]}', 'wildcard match pattern must be a string', 1, 34],
  [
    '{"detail-type": [{"equals-ignore-case": ["ec2 instance state-change notification"]}]}',
    'equals-ignore-case match pattern must be a string',
    1,
    42,
  ],
  [
    '{"detail": {"state": [{"anything-but": {"equals-ignore-case": 123}}]}}',
    'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.',
    1,
    66,
  ],
  ['{"detail": {"FilePath": [{"anything-but": {"wildcard": 123}}]}}', 'wildcard match pattern must be a string', 1, 59],
  [
    '{"detail": {"FileName": [{"anything-but": {"prefix": {"equals-ignore-case": "file"}}}]}}',
    'Value of anything-but must be an array or single string/number value.',
    1,
    55,
  ],
  ['{"time": [{"prefix": ["2022-07-13"]}]}', 'prefix match pattern must be a string', 1, 23],
  ['{"time": [{"prefix": 123}]}', 'prefix match pattern must be a string', 1, 25],
  ['{"FileName": [{"suffix": 123}]}', 'suffix match pattern must be a string', 1, 29],
  ['{"detail": {"sourceIPAddress": [{"cidr": ["bad-type"]}]}}', 'prefix match pattern must be a string', 1, 43],
];

/** Also recorded: AWS names the position twice for an error in a list inside anything-but. */
const RECORDED_IN_LISTS: readonly [pattern: string, reason: string, column: number][] = [
  [
    '{"detail": {"state": [{"anything-but": {"equals-ignore-case": [123, 456]}}]}}',
    'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.',
    67,
  ],
  [
    '{"detail": {"FileName": [{"anything-but": {"suffix": [123, ".txt"]}}]}}',
    'prefix/suffix match pattern must be a string',
    58,
  ],
  [
    '{"detail": {"state": [{"anything-but": {"wildcard": [123, "*/dir/*"]}}]}}',
    'wildcard match pattern must be a string',
    57,
  ],
];

/** Recorded without a place. */
const RECORDED_WITHOUT_PLACE: readonly [block: string, reason: string][] = [
  ['10.0.0.0', "Malformed CIDR, one '/' required"],
  ['10.0.0.0/xx', 'Malformed CIDR, mask bits must be an integer'],
  ['xx.11.xx/8', 'Nonstandard IP address: xx.11.xx'],
  ['xxxx:db8:1234:1a00::/56', 'Nonstandard IP address: xxxx:db8:1234:1a00::'],
];

/** Reasons from the published source of AWS's matcher, which no recording shows. */
const PUBLISHED: readonly [pattern: unknown, reason: string][] = [
  [{ a: [[1]] }, 'Match value must be String, number, true, false, or null'],
  [{ a: [{}] }, 'Match expression name not found'],
  [{ a: [{ prefix: 'a', suffix: 'b' }] }, 'Only one key allowed in match expression'],
  [{ a: [{ prefix: { suffix: 'b' } }] }, 'Unsupported prefix pattern: suffix'],
  [{ a: [{ suffix: {} }] }, 'Suffix expression name not found'],
  [{ a: [{ exists: 'yes' }] }, 'exists match pattern must be either true or false.'],
  [{ a: [{ exists: null }] }, 'exists match pattern must be either true or false.'],
  [{ a: [{ exactly: 1 }] }, 'exact match pattern must be a string'],
  [{ a: [{ cidr: '10.0.0.0/32' }] }, 'IPv4 mask bits must be < 32'],
  [{ a: [{ cidr: '::/128' }] }, 'IPv6 mask bits must be < 128'],
  [{ a: [{ cidr: '10.0.0.0/-1' }] }, 'Malformed CIDR, mask bits must not be negative'],
  [{ a: [{ wildcard: 'a\\b' }] }, 'Invalid escape character at pos 2'],
  [{ a: [{ 'anything-but': {} }] }, 'Anything-But expression name not found'],
  [{ a: [{ 'anything-but': { numeric: ['=', 1] } }] }, 'Unsupported anything-but pattern: numeric'],
  [{ a: [{ 'anything-but': null }] }, 'Value of anything-but must be an array or single string/number value.'],
  [{ a: [{ 'anything-but': ['x', true] }] }, 'Inside anything but list, start|null|boolean is not supported.'],
  [{ a: [{ 'anything-but': { prefix: '' } }] }, 'Null prefix/suffix not allowed'],
  [
    { a: [{ 'anything-but': ['x', 1] }] },
    'Inside anything but list, either all values are number or string, mixed type is not supported',
  ],
  [
    { a: [{ 'anything-but': [] }] },
    'Inside anything but list, either all values are number or string, mixed type is not supported',
  ],
  [{ a: [{ 'anything-but': { prefix: 'a', suffix: 'b' } }] }, 'Too many elements in numeric expression'],
  [{ a: [{ numeric: 5 }] }, 'Value of numeric must be an array.'],
  [{ a: [{ numeric: [] }] }, 'Invalid member in numeric match: ]'],
  [{ a: [{ numeric: [5] }] }, 'Invalid member in numeric match: 5'],
  [{ a: [{ numeric: ['!', 5] }] }, 'Unrecognized numeric range operator: !'],
  [{ a: [{ numeric: ['=', '5'] }] }, 'Value of equals must be numeric'],
  [{ a: [{ numeric: ['=', 5, '<', 6] }] }, 'Too many elements in numeric expression'],
  [{ a: [{ numeric: ['>', 5, 6] }] }, 'Bad value in numeric range: 6'],
  [{ a: [{ numeric: ['>', 5, '<', 6, '<'] }] }, 'Too many terms in numeric range expression'],
  [{ a: [{ numeric: ['>', 5, '<', 5] }] }, 'Bottom must be less than top'],
  [{ a: [{ numeric: ['>', 5.1e9] }] }, 'Value must be between -5.0E9 and 5.0E9, inclusive'],
  [{ $or: {} }, 'It must be an Array followed with $or.'],
  [{ $or: [{ a: [1] }] }, 'There must have at least 2 Objects in $or relationship.'],
  [{ $or: [{ a: [1] }, 'b'] }, 'Only JSON object is allowed in array of $or relationship.'],
  [{ $or: [{ prefix: ['x'] }, { a: [1] }] }, 'prefix is Ruler reserved fieldName which cannot be used inside $or.'],
];

function refusal(pattern: string): string {
  try {
    compileEventPattern(pattern);
  } catch (error) {
    if (error instanceof EventPatternError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a pattern that is not valid', () => {
  it.each(RECORDED)('%s is refused as AWS is on record', (pattern, reason, line, column) => {
    expect(refusal(pattern)).toBe(`${reason}\n at [Source: (String)"${pattern}"; line: ${line}, column: ${column}]`);
  });

  it.each(RECORDED_IN_LISTS)('%s is refused, and its position is named twice', (pattern, reason, column) => {
    const place = `\n at [Source: (String)"${pattern}"; line: 1, column: ${column}]`;
    expect(refusal(pattern)).toBe(`${reason}${place}${place}`);
  });

  it.each(RECORDED_WITHOUT_PLACE)('the block %s is refused, without a position', (block, reason) => {
    expect(refusal(JSON.stringify({ ip: [{ cidr: block }] }))).toBe(reason);
  });

  it.each(PUBLISHED)('%j is refused with the message of the published matcher', (pattern, reason) => {
    const [firstLine] = refusal(JSON.stringify(pattern)).split('\n');
    expect(firstLine).toBe(reason);
  });

  it('is quoted by its first 500 characters', () => {
    const pattern = JSON.stringify({ a: 'x'.repeat(600) });
    expect(refusal(pattern)).toContain(`"${pattern.slice(0, 500)}"[truncated 108 chars]; line: 1, column: 7]`);
  });

  it('is refused with the line', () => {
    expect(refusal('{\n  "a": {\n    "b": 1\n  }\n}')).toContain('line: 3, column: 11]');
  });

  it('is refused if it is nested more deeply than a parser supports', () => {
    expect(refusal(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toContain('nesting depth');
  });

  it('is refused if its $or multiply to more than 1,000 combinations', () => {
    const or = { $or: Array.from({ length: 11 }, (_, i) => ({ [`k${i}`]: [1] })) };
    expect(refusal(JSON.stringify({ x: or, y: or }))).toBe('accepted');
    expect(refusal(JSON.stringify({ x: or, y: or, z: or }))).toContain('too complex');
  });

  /**
   * The first was recorded on AWS. Public reports say of the others that AWS refuses or accepts them: four file types below a
   * folder, two of them, four without a folder, and four keywords anywhere.
   * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching-complexity
   */
  it.each<[wildcards: readonly string[], tooComplex: boolean]>([
    [['*:*:*:*:*:event-bus/*'], true],
    [['*/datasync/*.bif', '*/datasync/*.tiff', '*/datasync/*.tif', '*/datasync/*.svs'], true],
    [['*/datasync/*.bif', '*/datasync/*.tif'], false],
    [['*.bif', '*.tiff', '*.tif', '*.svs'], false],
    [['*spam*', '*fraud*', '*abuse*', '*threat*'], true],
    [['*a*a*a*a*a*a*'], true],
    [['\\*'.repeat(20)], false],
    [[`*${'a'.repeat(9)}`], false],
    [[`*${'a'.repeat(10)}`], true],
    [[`*${'abcdefgh'.repeat(3)}`], false],
    [['*/lib/*', '*/bin/*'], false],
  ])('is refused if its wildcards are too complex: %j is %s', (wildcards, tooComplex) => {
    const reason =
      'Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character';
    for (const list of [wildcards.map(wildcard => ({ wildcard })), [{ 'anything-but': { wildcard: wildcards } }]]) {
      expect(refusal(JSON.stringify({ detail: { path: list } }))).toBe(tooComplex ? reason : 'accepted');
    }
    const $or = wildcards.map(wildcard => ({ path: [{ wildcard }] }));
    if ($or.length > 1) expect(refusal(JSON.stringify({ $or }))).toBe(tooComplex ? reason : 'accepted');
  });

  it('has a limit of wildcards for each field only', () => {
    const path = ['*/datasync/*.bif', '*/datasync/*.tif'].map(wildcard => ({ wildcard }));
    expect(refusal(JSON.stringify({ detail: { a: path, b: path, c: path } }))).toBe('accepted');
  });

  it('is checked quickly, however long its wildcards are', () => {
    const wildcards = ['ab', 'ba', 'aab', 'bba'].map(text => ({ wildcard: `*${text.repeat(200)}c*` }));
    expect(refusal(JSON.stringify({ path: wildcards }))).toContain('too complex');
  });
});

describe('any pattern', () => {
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

  test('of JSON is compiled, or refused with a reason', () => {
    fc.assert(
      fc.property(pattern, fc.jsonValue(), (given, event) => {
        try {
          const matches = compileEventPattern(JSON.stringify(given));
          expect(typeof matches(event)).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(EventPatternError);
        }
      }),
      { numRuns: 1000, seed: 7 },
    );
  });

  test('of text is compiled, or refused with a reason', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        try {
          compileEventPattern(text);
        } catch (error) {
          expect(error).toBeInstanceOf(EventPatternError);
        }
      }),
      { numRuns: 1000, seed: 7 },
    );
  });

  test('made of the scalars of an event matches that event', () => {
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

  test('with a wildcard matches as a regular expression would', () => {
    const messages = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(messages, value, (text, a) => {
        const wildcard = text.replaceAll(/\*+/g, '*');
        expect(compileEventPattern({ a: [{ wildcard }] })({ a })).toBe(asRegExp(wildcard).test(a));
      }),
      { numRuns: 1000, seed: 7 },
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
            const named = Object.entries(other).map(
              ([path, v]) => [path === '' ? name : `${name}.${path}`, v] as const,
            );
            return { ...one, ...Object.fromEntries(named) };
          }),
        ),
      [{}],
    );
  }

  test('requires one element of every array to meet all conditions, whatever the other elements', () => {
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
      { numRuns: 1000, seed: 7 },
    );
  });
});
