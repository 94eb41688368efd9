import { parseQuery } from '../../../local/logs/insights/parser';
import { CompiledQuery } from '../../../local/logs/insights/queries';
import type { FoundEvent } from '../../../local/logs/insights/row';

const START_MS = Date.UTC(2026, 0, 2);
const TIMES = { startedAtMs: START_MS + 3_600_500, fromMs: START_MS, toMs: START_MS + 3_600_000 };

type Message = string | Readonly<Record<string, unknown>>;

/** Events a minute apart, the first at midnight. */
function events(...messages: readonly Message[]): readonly FoundEvent[] {
  return messages.map((message, i) => ({
    log: '123456789012:/rental',
    event: {
      atMs: START_MS + i * 60_000,
      sequence: i + 1,
      ingestedAtMs: START_MS + i * 60_000 + 5,
      streamName: i % 2 === 0 ? 'even' : 'odd',
      message: typeof message === 'string' ? message : JSON.stringify(message),
    },
  }));
}

function ask(query: string, found: readonly FoundEvent[], limit = 10_000) {
  return new CompiledQuery(parseQuery(query), TIMES).run(found, limit);
}

/** The rows as objects, without their pointers. */
function rows(query: string, ...messages: readonly Message[]): Record<string, string>[] {
  return ask(query, events(...messages)).rows.map(row => {
    const { '@ptr': _, ...fields } = Object.fromEntries(row.map(({ field, value }) => [field, value]));
    return fields;
  });
}

/** The value of one expression for one event. */
function value(expression: string, message: Message = ''): string | undefined {
  return rows(`fields ${expression} as it`, message)[0]?.['it'];
}

const DELIVERIES: readonly Message[] = [
  { status: 'FAILURE', delivery: { statusCode: 503, attempts: 3, dwellTimeMs: 100 }, notification: { messageId: 'a' } },
  { status: 'FAILURE', delivery: { statusCode: 403, attempts: 1, dwellTimeMs: 20 }, notification: { messageId: 'b' } },
  { status: 'SUCCESS', delivery: { statusCode: 200, attempts: 1, dwellTimeMs: 10 }, notification: { messageId: 'c' } },
  { status: 'FAILURE', delivery: { statusCode: 503, attempts: 5, dwellTimeMs: 400 }, notification: { messageId: 'a' } },
];

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html */
describe('a query of Logs Insights', () => {
  it('answers time and message, the newest first, with a pointer, when it asks for no fields', () => {
    const { rows: answered } = ask('filter @message like "b"', events('ab', 'b', 'c'));
    expect(answered).toEqual([
      [
        { field: '@timestamp', value: '2026-01-02 00:01:00.000' },
        { field: '@message', value: 'b' },
        { field: '@ptr', value: expect.stringMatching(/^[A-Za-z0-9+/=]+$/) },
      ],
      [
        { field: '@timestamp', value: '2026-01-02 00:00:00.000' },
        { field: '@message', value: 'ab' },
        { field: '@ptr', value: expect.stringMatching(/^[A-Za-z0-9+/=]+$/) },
      ],
    ]);
    expect(answered[0]?.[2]?.value).not.toBe(answered[1]?.[2]?.value);
  });

  it('knows where an event comes from', () => {
    expect(rows('fields @timestamp, @ingestionTime, @logStream, @log, @message', 'x')).toEqual([
      {
        '@timestamp': '2026-01-02 00:00:00.000',
        '@ingestionTime': '2026-01-02 00:00:00.005',
        '@logStream': 'even',
        '@log': '123456789012:/rental',
        '@message': 'x',
      },
    ]);
  });

  it('groups failed deliveries by cause, as this house’s own saved query does', () => {
    const query = `
      fields delivery.statusCode as code   # discovered in the record
      | filter status = "FAILURE"
      | stats count(*) as failures, count_distinct(notification.messageId) as messages, max(delivery.attempts) by code
      | sort failures desc, code
      | limit 10`;
    expect(rows(query, ...DELIVERIES)).toEqual([
      { code: '503', failures: '2', messages: '1', 'max(delivery.attempts)': '5' },
      { code: '403', failures: '1', messages: '1', 'max(delivery.attempts)': '1' },
    ]);
  });

  it('has no fields but those of the event', () => {
    expect(rows('fields constructor, toString, __proto__', { a: 1 })).toEqual([{}]);
  });

  it('leaves out of a row what the event does not have', () => {
    expect(rows('fields status, colour | limit 1', { status: 'SUCCESS' })).toEqual([{ status: 'SUCCESS' }]);
    expect(rows('fields status', 'plain text')).toEqual([{}]);
  });

  it('adds fields to fields, and display takes their place', () => {
    const query = 'fields status | fields delivery.attempts as tries | limit 1';
    expect(rows(query, ...DELIVERIES)).toEqual([{ status: 'FAILURE', tries: '5' }]);
    expect(rows(`${query} | display tries`, ...DELIVERIES)).toEqual([{ tries: '5' }]);
  });

  it('keeps one row of each combination of values, and rows that lack one of them', () => {
    const found = rows('fields notification.messageId as id | dedup id', ...DELIVERIES, 'no id', 'none either');
    expect(found).toEqual([{}, {}, { id: 'a' }, { id: 'c' }, { id: 'b' }]);
  });

  it('takes the limit of the call where it has none itself', () => {
    expect(ask('fields @message', events('a', 'b', 'c'), 2).rows).toHaveLength(2);
    expect(ask('fields @message | limit 3', events('a', 'b', 'c'), 2).rows).toHaveLength(3);
  });

  it('counts what its filters let through', () => {
    expect(ask('filter status = "FAILURE" | limit 1', events(...DELIVERIES)).matched).toBe(3);
  });

  it('sorts by several keys: what is missing, then text by its numbers, then numbers', () => {
    const messages = [{ v: 10 }, { v: 'host10' }, { v: 9 }, { v: 'host9' }, { w: 1 }, { v: 'Host' }, { v: -1 }];
    const sorted = rows('fields v | sort v asc', ...messages).map(({ v }) => v);
    expect(sorted).toEqual([undefined, 'Host', 'host9', 'host10', '-1', '9', '10']);
    expect(rows('fields v | sort v desc', ...messages).map(({ v }) => v)).toEqual([...sorted].reverse());
    const two = [
      { a: 1, b: 1 },
      { a: 0, b: 2 },
      { a: 1, b: 3 },
    ];
    expect(rows('fields b | sort a desc, b desc', ...two).map(({ b }) => b)).toEqual(['3', '1', '2']);
  });
});

describe('filter', () => {
  const EVENT = { a: 5, text: 'Exception: timed out', ok: true, no: false, list: ['x', 'y'], zip: '007', empty: '' };

  test.each<[condition: string, holds: boolean]>([
    ['a = 5', true],
    ['a = "5"', true],
    ['a != 5', false],
    ['a != 6', true],
    ['missing != 6', false],
    ['missing = 6', false],
    ['a > 4 and a < 6', true],
    ['a >= 5 and a <= 5', true],
    ['a < 5 or text like "timed"', true],
    ['not a = 5', false],
    ['not (a = 5 and ok = 0)', true],
    ['a = 1 or a = 2 and a = 5', false],
    ['text like /Exc.*out$/', true],
    ['text like /exception/', false],
    ['text like /(?i)exception/', true],
    ['text =~ /^(?i)EXCEPTION/', true],
    ['text not like /time/', false],
    ['text not like "Time"', true],
    ["text like 'timed out'", true],
    ['missing like /./', false],
    ['missing not like /./', true],
    ['a in [1, 5]', true],
    ['a in ["5"]', true],
    ['a not in [1, 5]', false],
    ['text in ["Exception"]', false],
    ['ok = 1', true],
    ['ok = true', true],
    ['no = 0', true],
    ['list.0 = "x"', true],
    ['list[1] = "y"', true],
    ['zip = 7', true],
    ['text > "Error"', true],
    ['ispresent(a)', true],
    ['ispresent(missing)', false],
    ['isempty(empty) and isempty(missing) and not isempty(a)', true],
    ['isblank("  ")', true],
    ['strcontains(text, "out") = 1', true],
    ['strlen(text) = 20', true],
    ['a + 1 = 6', true],
    ['2 + 3 * 4 = 14', true],
    ['(2 + 3) * 4 = 20', true],
    ['2 ^ 3 ^ 2 = 512', true],
    ['10 % 3 = 1', true],
    ['-a = 0 - 5', true],
    ['a / 0 = 1', false],
    ['text + 1 = 1', false],
    ['@logStream = "even"', true],
    ['`text` like /Exc/', true],
    ['toMillis(@timestamp) >= now() * 1000 - 7200000', true],
    ['@timestamp > 0', true],
    ['@message like "\\"zip\\""', true],
  ])('%s: %p', (condition, holds) => {
    expect(rows(`filter ${condition}`, EVENT)).toHaveLength(holds ? 1 : 0);
  });

  it('reads names with other characters between backticks', () => {
    expect(
      rows('filter `order-status` = "lost" and `a.b`.`c d` = 1', { 'order-status': 'lost', 'a.b': { 'c d': 1 } }),
    ).toHaveLength(1);
  });

  it('is also called where', () => {
    expect(rows('where a = 1', { a: 1 }, { a: 2 })).toHaveLength(1);
  });
});

describe('the functions', () => {
  test.each<[expression: string, result: string | undefined]>([
    ['abs(-2.5)', '2.5'],
    ['ceil(1.2)', '2'],
    ['floor(-1.2)', '-2'],
    ['round(2.5)', '3'],
    ['round(2.345, 2)', '2.35'],
    ['sqrt(16)', '4'],
    ['log(1)', '0'],
    ['greatest(1, "7", 3)', '7'],
    ['least(4, 2, 3)', '2'],
    ['abs("text")', undefined],
    ['concat("a", 1, "b")', 'a1b'],
    ['concat("a", missing)', undefined],
    ['tolower("ÄB")', 'äb'],
    ['toupper("äb")', 'ÄB'],
    ['trim("  a ")', 'a'],
    ['ltrim("xyZxyfooxyZ", "xyZ")', 'fooxyZ'],
    ['rtrim("xyZfooxyZ", "xyZ")', 'xyZfoo'],
    ['substr("xyZfooxyZ", 3, 3)', 'foo'],
    ['substr("xyZfoo", 3)', 'foo'],
    ['replace("foo.o", "o", "$0")', 'f$0$0.$0'],
    ['strlen("東京😀")', '3'],
    ['coalesce(missing, a, 2)', '1'],
    ['if(a = 1, "one", "other")', 'one'],
    ['case(a = 2, "two", a = 1, "one", "many")', 'one'],
    ['case(a = 2, "two", "many")', 'many'],
    ['case(a = 2, "two")', undefined],
    ['toNumber("12.5") * 2', '25'],
    ['toInt(7.9)', '7'],
    ['isNumeric("1e3")', '1'],
    ['messageSize("東")', '3'],
    ['fromMillis(1767312000123)', '2026-01-02 00:00:00.123'],
    ['toMillis(@timestamp)', String(START_MS)],
    ['now()', String((START_MS + 3_600_000) / 1000)],
    ['queryTimeRange()', '3600000'],
    ['datefloor(@timestamp, 1d)', '2026-01-02 00:00:00.000'],
    ['dateceil(fromMillis(1767312000001), 5m)', '2026-01-02 00:05:00.000'],
    ['dateceil(@timestamp, 5m)', '2026-01-02 00:00:00.000'],
    ['datefloor(@timestamp, 1w)', '2025-12-29 00:00:00.000'],
    ['datefloor(@timestamp, 1q)', '2026-01-01 00:00:00.000'],
    ['dateceil(@timestamp, 2months)', '2026-03-01 00:00:00.000'],
    ['jsonParse(text).members', undefined],
    ['jsonStringify(jsonParse(text))', '{"code":[1,2]}'],
    ['isValidIp("2001:db8::1")', '1'],
    ['isValidIpV4("300.1.1.1")', '0'],
    ['isIpInSubnet("192.0.2.7", "192.0.2.0/24")', '1'],
    ['isIpv4InSubnet("192.0.3.7", "192.0.2.0/24")', '0'],
    ['isIpv6InSubnet("2001:db8::7", "2001:db8::/32")', '1'],
    ['isIpv4InSubnet("2001:db8::7", "2001:db8::/32")', '0'],
    ['a = 1', '1'],
  ])('%s is %p', (expression, result) => {
    const read = () => value(expression, { a: 1, text: '{"code":[1,2]}' });
    if (expression.endsWith('.members')) expect(read).toThrow('unexpected symbol found');
    else expect(read()).toBe(result);
  });

  it('of JSON in a field give maps and lists, whose parts have names', () => {
    const query =
      'fields jsonParse(body) as it | filter it.users[1].action = "put" | display it.users[0].action, it.`a b`';
    expect(rows(query, { body: '{"users":[{"action":"get"},{"action":"put"}],"a b":2}' })).toEqual([
      { 'it.users[0].action': 'get', 'it.a b': '2' },
    ]);
    expect(value('toupper(jsonParse(body))', { body: '{}' })).toBeUndefined();
  });

  it('know their names in any case', () => {
    expect(value('StrLen("ab")')).toBe('2');
  });
});

describe('parse', () => {
  const LINE = 'user=lorenz, method:GET, latency := 12, and more';

  it('finds fields by a glob', () => {
    const query = 'parse @message "user=*, method:*, latency := *," as @user, @method, @latency';
    expect(rows(`${query} | display @user, @method, @latency`, LINE)).toEqual([
      { '@user': 'lorenz', '@method': 'GET', '@latency': '12' },
    ]);
    expect(rows(`${query} | stats avg(@latency) by @method, @user`, LINE, LINE.replace('12', '13'))).toEqual([
      { '@method': 'GET', '@user': 'lorenz', 'avg(@latency)': '12.5' },
    ]);
  });

  it('takes all the rest for a wildcard at the end', () => {
    expect(rows('parse @message "latency := *" as rest | display rest', LINE)).toEqual([{ rest: '12, and more' }]);
  });

  it('finds fields by the named groups of a regular expression, in any field', () => {
    const query = 'parse path /\\/(?<kind>[a-z]+)\\/(?<id>[0-9]{1,3})$/ | display kind, id';
    expect(rows(query, { path: 'x/orders/42' })).toEqual([{ kind: 'orders', id: '42' }]);
    expect(rows('parse /method:(\\w+)/ as verb | display verb', LINE)).toEqual([{ verb: 'GET' }]);
  });

  it('leaves an event that does not match as it is', () => {
    expect(rows('parse "id=*" as id | display id, @message', 'nothing')).toEqual([{ '@message': 'nothing' }]);
  });
});

describe('stats', () => {
  const NUMBERS = [{ n: 4 }, { n: 1 }, { n: 3 }, { n: 2 }, { text: 'none' }];

  test.each<[expression: string, result: string | undefined]>([
    ['count(*)', '5'],
    ['count()', '5'],
    ['count(n)', '4'],
    ['sum(n)', '10'],
    ['avg(n)', '2.5'],
    ['min(n)', '1'],
    ['max(n)', '4'],
    ['pct(n, 50)', '2'],
    ['pct(n, 95)', '4'],
    ['pct(n, 0)', '1'],
    ['median(n)', '2'],
    ['stddev(n)', '1.118'],
    ['count_distinct(n % 2)', '2'],
    ['earliest(n)', '4'],
    ['latest(n)', '2'],
    ['sortsFirst(n)', '1'],
    ['sortsLast(n)', '4'],
    ['max(@timestamp)', '2026-01-02 00:04:00.000'],
    ['sum(n) / count(n) * 100', '250'],
    ['floor(avg(n))', '2'],
    ['sum(missing)', undefined],
    ['avg(missing)', undefined],
    ['avg(text)', undefined],
    ['min(text)', 'none'],
  ])('%s is %p', (expression, result) => {
    expect(rows(`stats ${expression} as it`, ...NUMBERS)).toEqual([result === undefined ? {} : { it: result }]);
  });

  it('rounds averages to four decimals', () => {
    expect(rows('stats avg(n)', { n: 1 }, { n: 1 }, { n: 2 })).toEqual([{ 'avg(n)': '1.3333' }]);
  });

  it('counts by bins of time', () => {
    expect(rows('stats count(*) as n by bin(2m) as time | sort time', 'a', 'b', 'c', 'd', 'e')).toEqual([
      { time: '2026-01-02 00:00:00.000', n: '2' },
      { time: '2026-01-02 00:02:00.000', n: '2' },
      { time: '2026-01-02 00:04:00.000', n: '1' },
    ]);
    expect(rows('stats count(*) by bin(1h)', 'a', 'b')).toEqual([
      { 'bin(1h)': '2026-01-02 00:00:00.000', 'count(*)': '2' },
    ]);
  });

  it('caps the count of a unit as AWS does: 300 seconds are 60', () => {
    expect(rows('stats count(*) by bin(300s)', 'a', 'b')).toHaveLength(2);
    expect(rows('stats count(*) by bin(5m)', 'a', 'b')).toHaveLength(1);
  });

  it('groups what has no value together, and nothing is in no group', () => {
    expect(rows('stats count(*) as n by v | sort v', { v: 1 }, {}, 'x')).toEqual([{ n: '2' }, { v: '1', n: '1' }]);
    expect(rows('stats count(*)')).toEqual([]);
  });

  it('can be asked of groups again', () => {
    const query = 'stats count(*) as n by v | stats max(n) as most, count(*) as groups';
    expect(rows(query, { v: 1 }, { v: 1 }, { v: 2 })).toEqual([{ most: '2', groups: '2' }]);
  });

  it('gives a group no pointer', () => {
    expect(ask('stats count(*)', events('a')).rows).toEqual([[{ field: 'count(*)', value: '1' }]]);
  });
});

describe('fields that are discovered', () => {
  it('are those of Lambda’s report, memory in bytes', () => {
    const report =
      'REPORT RequestId: 10f57157-fc38-4da9-a113-4de7e12d05dd\tDuration: 12.34 ms\tBilled Duration: 13 ms\tMemory Size: 128 MB\tMax Memory Used: 64 MB\tInit Duration: 100.5 ms\t';
    const query =
      'filter @type = "REPORT" | fields @requestId, @duration, @billedDuration, @initDuration, @memorySize, @maxMemoryUsed / 1000 / 1000 as mb';
    expect(rows(query, report)).toEqual([
      {
        '@requestId': '10f57157-fc38-4da9-a113-4de7e12d05dd',
        '@duration': '12.34',
        '@billedDuration': '13',
        '@initDuration': '100.5',
        '@memorySize': '128000000',
        mb: '64',
      },
    ]);
  });

  it('are those of the JSON in a function’s line, and its request', () => {
    const line = '2026-01-02T00:00:00.000Z\t10f57157-fc38-4da9-a113-4de7e12d05dd\tINFO\tsaved {"order":{"id":7}}';
    expect(rows('fields @requestId, order.id', line)).toEqual([
      { '@requestId': '10f57157-fc38-4da9-a113-4de7e12d05dd', 'order.id': '7' },
    ]);
  });

  it('are no more than 200 of a message', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, i]));
    expect(rows('fields f199, f200', many)).toEqual([{ f199: '199' }]);
  });
});

test.each<[query: string, text: string]>([
  ['', 'unexpected symbol found end of query at line 1 and position 1'],
  ['fields @timestamp | count()', 'unknown command count'],
  ['fields a |', 'unexpected symbol found end of query'],
  ['fields a |\n  | limit 3', 'unexpected symbol found | at line 2 and position 3'],
  ['filter a == 1', 'unexpected symbol found ='],
  ['filter a like', 'unexpected symbol found end of query'],
  ['filter a not', 'unexpected symbol found end of query'],
  ['filter a in (1)', 'unexpected symbol found ('],
  ['filter frobnicate(a) = 1', 'unknown function frobnicate'],
  ['filter toString(a) = 1', 'unknown function toString'],
  ['fields abs(1, 2)', 'abs takes 1 arguments, got 2'],
  ['fields round(1, 2, 3)', 'round takes 1 to 2 arguments, got 3'],
  ['fields a as', 'unexpected symbol found end of query'],
  ['fields and', 'unexpected symbol found and'],
  ['fields count(*)', 'unknown function count'],
  ['stats a', 'every column of stats needs a function'],
  ['stats sum()', 'sum takes 1 arguments, got 0'],
  ['stats pct(a)', 'pct takes 2 arguments, got 1'],
  ['stats pct(a, b)', 'pct takes a number as its second argument'],
  ['stats count(*) by bin(a)', 'bin takes a period, such as 5m'],
  ['stats count(*) by bin(5x)', 'Invalid period: 5x'],
  ['fields 5m', 'a period such as 5m stands only in bin, datefloor and dateceil'],
  ['fields datefloor(@timestamp)', 'datefloor takes a time and a period'],
  ['limit 0', 'Invalid limit: 0'],
  ['limit 1.5', 'Invalid limit: 1.5'],
  ['limit many', 'unexpected symbol found many'],
  ['parse @message "a=*, b=*" as a', 'parse has 2 wildcards in "a=*, b=*" and 1 names for them'],
  ['parse @message a', 'unexpected symbol found a'],
  ['parse 1 "*" as a', 'unexpected symbol found 1'],
  ['filter a =~ "x"', 'unexpected symbol found "x"'],
  ['filter a like /(?!b)/', 'Invalid regular expression: /(?!b)/'],
  ['filter a like /(/', 'Invalid regular expression: /(/'],
  ['fields "open', 'unexpected symbol found "'],
  ['fields a ; b', 'unexpected symbol found ;'],
  ['constructor', 'unknown command constructor'],
  ['fields constructor(a)', 'unknown function constructor'],
  ['fields a b', 'unexpected symbol found b at line 1 and position 10'],
])('a malformed query %s is refused: %s', (query, text) => {
  expect(() => ask(query, [])).toThrow(
    expect.objectContaining({
      code: 'MalformedQueryException',
      httpStatus: 400,
      message: expect.stringContaining(text),
    }),
  );
});

test('a regular expression from outside takes no longer than its text is long', () => {
  const message = `${'a'.repeat(100_000)}!`;
  expect(rows('filter @message like /^(a+)+$/', message)).toEqual([]);
  expect(
    rows(
      `parse "${'a*'.repeat(20)}b" as ${Array.from({ length: 20 }, (_, i) => `f${i}`).join(', ')} | display f0`,
      message,
    ),
  ).toEqual([{}]);
});

test('nothing a client sends runs out of stack', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(rows('fields jsonParse(@message) as it | display it', deep)).toEqual([{}]);
  expect(rows('filter ispresent(@message)', `{"a":${deep}}`)).toHaveLength(1);
  const tooDeep = expect.objectContaining({ message: 'The query nests expressions more than 100 deep' });
  for (const open of ['(', 'not ', '-', '2 ^ ', 'abs(']) {
    expect(() => ask(`filter ${open.repeat(1_500)}1`, [])).toThrow(tooDeep);
  }
  expect(value(Array(3_000).fill('1').join(' + '))).toBe('3000');
  expect(rows(`filter ${Array(2_000).fill('1').join(' and ')}`, 'x')).toHaveLength(1);
});
