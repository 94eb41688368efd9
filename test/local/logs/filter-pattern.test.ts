import { parseFilterPattern } from '../../../local/logs/filter/filter-pattern';

const RECORD = JSON.stringify({
  status: 'FAILURE',
  delivery: { statusCode: 403, attempts: 1, destination: 'arn:aws:sqs:us-east-1:123456789012:Rental', ok: false },
  tags: ['first', 'second'],
  items: [{ id: 1 }, { id: 7 }],
  nothing: null,
  code: '500',
  latency: 1000,
  'order-status': 'confirmed',
  'cluster.name': 'c',
});

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html */
describe('a filter pattern on JSON', () => {
  test.each<[pattern: string, matches: boolean]>([
    ['{ $.status = "FAILURE" }', true],
    ['{ $.status = FAILURE }', true],
    ['{$.status=FAILURE}', true],
    ['{ $.status = "SUCCESS" }', false],
    ['{ $.status != "SUCCESS" }', true],
    ['{ $.absent != "SUCCESS" }', false],
    ['{ $.delivery.statusCode = 403 }', true],
    ['{ $.delivery.statusCode != 403 }', false],
    ['{ $.delivery.statusCode = 4* }', true],
    ['{ $.delivery.statusCode >= 500 }', false],
    ['{ $.delivery.statusCode > 400 && $.delivery.statusCode < 500 }', true],
    ['{ $.delivery.statusCode = 500 || $.delivery.attempts = 1 }', true],
    ['{ ($.status = "SUCCESS" || $.delivery.attempts = 1) && $.delivery.statusCode = 500 }', false],
    ['{ $.status = "FAILURE" || $.code = 1 && $.code = 2 }', true],
    ['{ $.latency = 1e+3 }', true],
    ['{ $.latency < 1.5e3 }', true],
    ['{ $.latency > -5 }', true],
    ['{ $.code = 500 }', true],
    ['{ $.code >= 500 }', true],
    ['{ $.delivery.destination = "*:Rental" }', true],
    ['{ $.delivery.destination = "arn:aws:sns:*" }', false],
    ['{ $.delivery.destination = %aws:s[qn]s% }', true],
    ['{ $.delivery.destination != %^aws% }', true],
    ['{ $.delivery = "*" }', false],
    ['{ $.delivery != 1 }', false],
    ['{ $.latency = "*" }', true],
    ['{ $.delivery.ok IS FALSE }', true],
    ['{ $.delivery.ok IS TRUE }', false],
    ['{ $.nothing IS NULL }', true],
    ['{ $.absent IS NULL }', false],
    ['{ $.absent NOT EXISTS }', true],
    ['{ $.status NOT EXISTS }', false],
    ['{ $.nothing NOT EXISTS }', false],
    ['{ $.tags[1] = "second" }', true],
    ['{ $.tags[*] = %^sec% }', true],
    ['{ $.tags[*] = "third" }', false],
    ['{ $.items[*].id > 5 }', true],
    ['{ $.* = "confirmed" }', true],
    ['{ $.order-status = "confirmed" }', true],
    ['{ $[\'order-status\'] = "confirmed" }', true],
    ['{ $.[\'cluster.name\'] = "c" }', true],
    ['{ $.status = 403 }', false],
  ])('%s: %p', (pattern, matches) => {
    expect(parseFilterPattern(pattern).matches(RECORD)).toBe(matches);
  });

  it('never holds for a line of plain text', () => {
    expect(parseFilterPattern('{ $.status NOT EXISTS }').matches('START RequestId: 1')).toBe(false);
  });
});

const REQUESTS = [
  '[ERROR 400] BAD REQUEST',
  '[ERROR 401] UNAUTHORIZED REQUEST',
  '[ERROR 419] MISSING ARGUMENTS',
  '[ERROR 500] INTERNAL SERVER ERROR',
  '[INFO] REQUEST FAILED',
];

test.each<[pattern: string, which: number[]]>([
  ['ERROR', [0, 1, 2, 3]],
  ['ERROR ARGUMENTS', [2]],
  ['?UNAUTHORIZED ?ARGUMENTS', [1, 2]],
  ['?ERROR ?ARGUMENTS REQUEST', [0, 1, 4]],
  ['"INTERNAL SERVER ERROR"', [3]],
  ['ERROR -ARGUMENTS', [0, 1, 3]],
  ['ERROR -"BAD REQUEST"', [1, 2, 3]],
  ['-ERROR', [4]],
  ['%AUTHORIZED%', [1]],
  ['%\\[ERROR 4[0-9]{2}\\]% -%ARG%', [0, 1]],
  ['%BAD|INTERNAL%', [0, 3]],
  ['%^\\x5BINFO%', [4]],
  ['error', []],
  ['" "', [0, 1, 2, 3, 4]],
  ['', [0, 1, 2, 3, 4]],
])('a filter pattern of terms %s', (pattern, which) => {
  const { matches } = parseFilterPattern(pattern);
  expect(REQUESTS.flatMap((message, i) => (matches(message) ? [i] : []))).toEqual(which);
});

describe('a filter pattern of columns', () => {
  const LINE = '127.0.0.1 Prod frank [10/Oct/2000:13:25:15 -0700] "GET /index.html HTTP/1.0" 404 1534';

  test.each<[pattern: string, matches: boolean]>([
    ['[ip, user, username, timestamp, request, status_code, bytes]', true],
    ['[ip=%127\\.0\\.0\\.[1-9]%, user, username, timestamp, request =*.html*, status_code = 4*, bytes]', true],
    ['[..., request =*.html*, status_code = 4*, bytes]', true],
    ['[..., status_code = 5*, bytes]', false],
    ['[ip, user, ..., bytes > 1000]', true],
    ['[ip, user, ..., bytes > 2000]', false],
    ['[ip, ...]', true],
    ['[..., status_code = 404 || status_code = 410, bytes]', true],
    ['[..., status_code = 4* && status_code != 404, bytes]', false],
    ['[w1=127.0.0.1, w2]', true],
    ['[w1!=127.0.0.1 && w1!=ERROR, w2]', false],
    ['[a, b, c, d, e, f, g, h]', false],
    ['[a, , "c" , d]', false],
  ])('%s: %p', (pattern, matches) => {
    const parse = () => parseFilterPattern(pattern).matches(LINE);
    if (pattern.includes('"c"')) expect(parse).toThrow('Invalid metric filter pattern');
    else expect(parse()).toBe(matches);
  });

  it('extracts the columns by name, and by position where they have none', () => {
    expect(parseFilterPattern('[..., request=*.html*, status_code=4*,]').extract(LINE)).toEqual({
      $1: '127.0.0.1',
      $2: 'Prod',
      $3: 'frank',
      $4: '10/Oct/2000:13:25:15 -0700',
      $request: 'GET /index.html HTTP/1.0',
      $status_code: '404',
      $7: '1534',
    });
    expect(parseFilterPattern('[level, rest]').extract('ERROR 1 2 3 ')).toEqual({ $level: 'ERROR', $rest: '1 2 3' });
    expect(parseFilterPattern('{ $.status = * && $.delivery.ok IS FALSE }').extract(RECORD)).toEqual({
      '$.status': 'FAILURE',
      '$.delivery.ok': 'false',
    });
  });
});

test.each([
  ['{ $.a = }', 'Invalid metric filter pattern: { $.a = }'],
  ['{ a = 1 }', 'Invalid metric filter pattern'],
  ['{ $.a = 1', 'Invalid metric filter pattern'],
  ['{ $.a = 1 } }', 'Invalid metric filter pattern'],
  ['{ $.a < "x" }', 'Invalid metric filter pattern'],
  ['{ ($.a = 1 }', 'Invalid metric filter pattern'],
  ['{ $.a EXISTS }', 'Invalid metric filter pattern'],
  ['{ $.a IS NOT NULL }', 'Invalid metric filter pattern'],
  ['{ $.a IS MAYBE }', 'Invalid metric filter pattern'],
  ['{ $.*.b[*] = 1 }', 'Invalid metric filter pattern'],
  ['{ $.*=1 && $.*=2 && $.*=3 && $.*=4 }', 'Invalid metric filter pattern'],
  ['{ $.a=%1% && $.b=%2% && $.c=%3% }', 'A filter pattern has at most 2 regular expressions, got 3'],
  ['[..., a, ...]', 'Invalid metric filter pattern'],
  ['[a > x]', 'Invalid metric filter pattern'],
  ['[a = 1 b]', 'Invalid metric filter pattern'],
  ['[a', 'Invalid metric filter pattern'],
  ['"not closed', 'Invalid metric filter pattern'],
  ['with/slash', "Invalid character(s) in term 'with/slash'"],
  ['%something!%', 'the regular expression %something!% is not supported'],
  ['%(group)%', 'is not supported'],
  ['%[open%', 'is not supported'],
  ['%\\p%', 'is not supported'],
  ['%%', 'is not supported'],
  ['x'.repeat(1025), 'A filter pattern has at most 1024 characters, got 1025'],
])('%s is refused', (pattern, text) => {
  expect(() => parseFilterPattern(pattern)).toThrow(text);
});

test('a pattern takes no longer than its message is long', () => {
  const message = JSON.stringify({ a: `${'a'.repeat(100_000)}!` });
  expect(parseFilterPattern(`{ $.a = "${'*a'.repeat(20)}b" }`).matches(message)).toBe(false);
  expect(parseFilterPattern(`%${'a*'.repeat(20)}b%`).matches(message)).toBe(false);
});

test('fields whose brackets never close are words', () => {
  const { extract, matches } = parseFilterPattern('[a, b, ..., z]');
  expect(extract('[open "also open [x y] then end')).toEqual({ $a: 'open "also open [x y', $b: 'then', $z: 'end' });
  expect(extract('one "two')).toEqual({});
  expect(extract('one "two three four')).toMatchObject({ $a: 'one', $b: '"two', $z: 'four' });
  expect(matches('[ '.repeat(500_000))).toBe(true);
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  expect(parseFilterPattern('{ $.a[0] = 1 || $.b NOT EXISTS }').matches(deep)).toBe(false);
});
