import { compileEventPattern, EventPatternError } from '../../../local/event-pattern';

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

/** Recorded as well: AWS tells the place twice of what it finds in a list inside anything-but. */
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

/** Reasons AWS's matcher has in its published source and nobody is on record with. */
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

  it.each(RECORDED_IN_LISTS)('%s is refused with its place told twice', (pattern, reason, column) => {
    const place = `\n at [Source: (String)"${pattern}"; line: 1, column: ${column}]`;
    expect(refusal(pattern)).toBe(`${reason}${place}${place}`);
  });

  it.each(RECORDED_WITHOUT_PLACE)('the block %s is refused without a place', (block, reason) => {
    expect(refusal(JSON.stringify({ ip: [{ cidr: block }] }))).toBe(reason);
  });

  it.each(PUBLISHED)('%j is refused in the words of the published matcher', (pattern, reason) => {
    const [firstLine] = refusal(JSON.stringify(pattern)).split('\n');
    expect(firstLine).toBe(reason);
  });

  it('is shown by its first 500 characters', () => {
    const pattern = JSON.stringify({ a: 'x'.repeat(600) });
    expect(refusal(pattern)).toContain(`"${pattern.slice(0, 500)}"[truncated 108 chars]; line: 1, column: 7]`);
  });

  it('tells the line', () => {
    expect(refusal('{\n  "a": {\n    "b": 1\n  }\n}')).toContain('line: 3, column: 11]');
  });

  it('is refused when it is nested more deeply than a parser goes', () => {
    expect(refusal(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toContain('nesting depth');
  });

  it('is refused when its $or multiply to more than 1,000 combinations', () => {
    const or = { $or: Array.from({ length: 11 }, (_, i) => ({ [`k${i}`]: [1] })) };
    expect(refusal(JSON.stringify({ x: or, y: or }))).toBe('accepted');
    expect(refusal(JSON.stringify({ x: or, y: or, z: or }))).toContain('too complex');
  });
});
