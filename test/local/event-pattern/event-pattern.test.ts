import { compileEventPattern } from '../../../local/event-pattern';

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

  it('wants every field it names', () => {
    const pattern = { source: ['aws.ec2'], detail: { state: ['running'], 'c-count': [{ numeric: ['<', 5] }] } };
    expect(compileEventPattern(pattern)(EVENT)).toBe(false);
    expect(compileEventPattern({ source: ['aws.ec2'], detail: { state: ['running'] } })(EVENT)).toBe(true);
  });

  it('is read from text as well', () => {
    expect(compileEventPattern('{ "source": [ "aws.ec2", "a\\u002a" ] }')({ source: 'a*' })).toBe(true);
  });

  it('matches an array by any of its elements', () => {
    const { resources } = EVENT;
    expect(compileEventPattern({ resources: ['arn:other', ...resources] })(EVENT)).toBe(true);
    expect(compileEventPattern({ resources: ['arn:other'] })(EVENT)).toBe(false);
  });

  it('wants one element of an array of objects to satisfy everything said of it', () => {
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

  it('looks for a missing field in the element it has chosen', () => {
    const matches = compileEventPattern({ items: { a: ['x'], b: [{ exists: false }] } });
    expect(matches({ items: [{ a: 'x', b: 1 }, { a: 'y' }] })).toBe(false);
    expect(matches({ items: [{ a: 'y', b: 1 }, { a: 'x' }] })).toBe(true);
  });

  it('goes into arrays of arrays', () => {
    const matches = compileEventPattern({ a: { b: [1], c: [2] } });
    expect(matches({ a: [[{ b: 1 }], [{ b: 1, c: 2 }]] })).toBe(true);
    expect(matches({ a: [[{ b: 1 }], [{ c: 2 }]] })).toBe(false);
  });

  it('takes a dot in a name for a step, as AWS does in patterns and in events', () => {
    expect(compileEventPattern({ 'detail.state': ['running'] })(EVENT)).toBe(true);
    expect(compileEventPattern({ detail: { state: ['on'] } })({ 'detail.state': 'on' })).toBe(true);
    expect(
      compileEventPattern({ detail: { 'state.status': { status: ['on'] } } })({ detail: { state: { status: 'on' } } }),
    ).toBe(false);
  });

  it('compares addresses, not their spellings', () => {
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

  it('does not take what objects inherit for members', () => {
    expect(compileEventPattern({ constructor: { name: [{ exists: true }] } })({})).toBe(false);
    expect(compileEventPattern('{"__proto__": {"a": [1]}}')(JSON.parse('{"__proto__": {"a": 1}}'))).toBe(true);
  });

  it('takes apart an event nested more deeply than any call stack', () => {
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

  it('may stand below a field and inside itself', () => {
    const nested = compileEventPattern({
      detail: { $or: [{ a: [1] }, { b: [1], $or: [{ c: [1] }, { d: [1] }] }] },
    });
    expect(nested({ detail: { b: 1, d: 1 } })).toBe(true);
    expect(nested({ detail: { b: 1 } })).toBe(false);
    expect(nested({ detail: { a: 1 } })).toBe(true);
  });

  it('holds together with what is said outside of it about the same element', () => {
    const together = compileEventPattern({ items: { a: [1] }, $or: [{ items: { b: [1] } }, { items: { b: [2] } }] });
    expect(together({ items: [{ a: 1 }, { b: 1 }] })).toBe(false);
    expect(together({ items: [{ a: 0 }, { a: 1, b: 2 }] })).toBe(true);
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

describe('how long matching takes', () => {
  it('does not grow with the power of the fields: arrays of scalars share nothing', () => {
    const { pattern, event } = wide(40, 50);
    expect(compileEventPattern(pattern)(event)).toBe(false);
    expect(compileEventPattern(pattern)({ detail: { ...event.detail, z: 'never' } })).toBe(true);
  });

  it('does not grow with the power of the fields: nor do arrays of objects, one beside the other or inside', () => {
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
