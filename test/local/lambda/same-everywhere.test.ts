import { LambdaFixture } from './lambda-fixture';

describe('what a function sees is the same on every machine and release of node', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  async function seen(expression: string, runtime = 'nodejs22.x'): Promise<unknown> {
    world.deploy('f', { code: `exports.handler = async () => (${expression});`, runtime });
    return (await world.invoke('f')).value;
  }

  test.each([
    ['process.pid', 2],
    ['process.ppid', 1],
    ['process.title', 'node'],
    ['process.execPath', '/var/lang/bin/node'],
    ['process.argv', ['/var/lang/bin/node', '/var/runtime/index.mjs']],
    ['process.version', 'v22.20.0'],
    ['process.versions.node', '22.20.0'],
    ['require("node:process").version', 'v22.20.0'],
    ['(await import("node:process")).version', 'v22.20.0'],
    ['process.release', { name: 'node' }],
    ['typeof process.report', 'undefined'],
    ['performance.eventLoopUtilization()', { idle: 0, active: 0, utilization: 0 }],
    ['performance.toJSON()', { timeOrigin: 1_767_225_600_000 }],
    ['performance.nodeTiming.duration', 0],
  ])('%s', async (expression, value) => {
    expect(await seen(expression)).toEqual(value);
  });

  test.each([
    ['nodejs18.x', 'v18.20.8'],
    ['nodejs20.x', 'v20.19.5'],
    ['nodejs24.x', 'v24.11.0'],
    ['nodejs26.x', 'v26.0.0'],
  ])('%s says that it is %s', async (runtime, version) => {
    expect(await seen('process.version', runtime)).toBe(version);
  });

  describe('JSON.parse', () => {
    test.each([
      ['{bad', "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
      ['{"a":1,}', 'Expected double-quoted property name in JSON at position 7 (line 1 column 8)'],
      ['{"a":\n\r\n  1 2}', "Expected ',' or '}' after property value in JSON at position 12 (line 3 column 5)"],
      ['[1]\r x', 'Unexpected non-whitespace character after JSON at position 5 (line 2 column 2)'],
      ['"abc', 'Unterminated string in JSON at position 4 (line 1 column 5)'],
      ['hello', `Unexpected token 'h', "hello" is not valid JSON`],
      ['{"a":', 'Unexpected end of JSON input'],
    ])('says what is wrong with %j as nodejs22.x does', async (text, message) => {
      const code = `exports.handler = async () => JSON.parse(${JSON.stringify(text)});`;
      world.deploy('f', { code });
      const { value } = await world.invoke('f');
      expect(value).toMatchObject({ errorType: 'SyntaxError', errorMessage: message });
      expect(value).toHaveProperty('trace.0', `SyntaxError: ${message}`);
      const frames = Object(value).trace.slice(message.split('\n').length, 3);
      expect(frames).toEqual(['    at JSON.parse (<anonymous>)', expect.stringContaining('/var/task/index.js:1:')]);
    });

    test('parses as ever, with a reviver or without', async () => {
      const revived = `JSON.parse('{"a":[1,2]}', (key, value) => typeof value === 'number' ? value * 2 : value)`;
      expect(await seen(`[${revived}, JSON.parse('null'), JSON.parse.name, JSON.parse.length]`)).toEqual([
        { a: [2, 4] },
        null,
        'parse',
        2,
      ]);
    });
  });
});
