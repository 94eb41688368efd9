import { LambdaFixture } from './lambda-fixture';

/** The shortest WebAssembly module. */
const MODULE = 'Buffer.from([0, 97, 115, 109, 1, 0, 0, 0])';

/** Handlers of which nothing but the named work is left, several times, and what comes of it. */
const WORK: readonly (readonly [string, string, unknown])[] = [
  ['a promise', 'for (let i = 0; i < 100; i += 1) await undefined; return "done";', 'done'],
  ['immediates', 'for (let i = 0; i < 100; i += 1) await new Promise(setImmediate); return "done";', 'done'],
  ['next ticks', 'for (let i = 0; i < 100; i += 1) await new Promise(process.nextTick); return "done";', 'done'],
  [
    'a file',
    'let size = 0; for (let i = 0; i < 20; i += 1) size = (await require("fs").promises.readFile(__filename)).length; return size > 0;',
    true,
  ],
  [
    'a hash that takes a while',
    'const { pbkdf2 } = require("crypto"); return new Promise(resolve => pbkdf2("a", "b", 50_000, 8, "sha1", (_, key) => resolve(key.length)));',
    8,
  ],
  [
    'web cryptography',
    'for (let i = 0; i < 20; i += 1) await crypto.subtle.digest("SHA-256", new Uint8Array(1e5)); return "done";',
    'done',
  ],
  [
    'compression',
    'const { gzip, gunzip } = require("zlib"); const { promisify: p } = require("util"); return String(await p(gunzip)(await p(gzip)("text")));',
    'text',
  ],
  ['a WebAssembly module', `return (await WebAssembly.compile(${MODULE})) instanceof WebAssembly.Module;`, true],
  [
    'a WebAssembly instance',
    `return Object.keys(await WebAssembly.instantiate(${MODULE})).sort();`,
    ['instance', 'module'],
  ],
  ['an imported module', 'return typeof (await import("./other.mjs")).other;', 'string'],
  [
    'a message port',
    `const { MessageChannel } = require("worker_threads");
    const { port1, port2 } = new MessageChannel();
    port2.postMessage("sent");
    return new Promise(resolve => port1.on("message", message => { port1.close(); resolve(message); }));`,
    'sent',
  ],
  [
    'work in which another piece of work begins',
    `const { promisify } = require("util");
    const { scrypt } = require("crypto");
    await new Promise(setImmediate);
    const key = await promisify(scrypt)("a", "b", 8);
    await new Promise(resolve => setTimeout(resolve, 5));
    await WebAssembly.compile(${MODULE});
    return (await promisify(scrypt)(key, "b", 16)).length;`,
    16,
  ],
];

describe('An invocation ends no sooner than', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  test.each(WORK)('%s', async (_, body, expected) => {
    const files = {
      'index.js': `exports.handler = async () => {${body}};`,
      'other.mjs': 'export const other = "another module";',
    };
    world.deploy('f', { files });
    for (let invocation = 0; invocation < 3; invocation += 1) {
      expect((await world.invoke('f')).value).toEqual(expected);
    }
  });

  test('what a listener of the function waits for', async () => {
    const code = `let count = 0;
      process.on('beforeExit', () => { count += 1; });
      exports.handler = async () => { await new Promise(resolve => setTimeout(resolve, 5)); return count; };`;
    world.deploy('f', { code });
    await world.invoke('f');
    expect((await world.invoke('f')).value).toBeGreaterThan(1);
  });
});
