import { importsOf } from './imports-of';
import { isNode, nodes, parsed, type SourceFile, type SyntaxNode, sourceFiles } from './source-files';

/** Time and chance are parameters everywhere but here. */
const MAY_ASK_THE_WORLD = [
  /^bin\//,
  /\.lambda\.ts$/,
  /^consumer\/index\.ts$/,
  /^lambda\/shared\/clock\.ts$/,
  /^local\/wire\//,
  /^local\/lambda\/world\//,
];

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const CHANCE = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']);

/** `object.property` of a member expression, for example `Date.now`. */
function memberName(node: SyntaxNode): string | undefined {
  const { type, object, property } = node;
  if (type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return undefined;
  return `${String(object['value'] ?? '')}.${String(property['value'] ?? '')}`;
}

const isIdentifier = (node: unknown, name: string): boolean => isNode(node) && node['value'] === name;

/** What asks the machine, by the object it is of. */
const ASKING: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'],
  Math: ['random'],
  performance: ['now', 'timeOrigin'],
  process: ['hrtime', 'uptime'],
  AbortSignal: ['timeout'],
};

/** Modules from which nothing comes but the machine's time. */
const CLOCKS = /^(node:)?(perf_hooks|timers(\/promises)?)$/;

/** `const { now } = Date`, whatever it is called then. */
function unpacked({ type, id, init }: SyntaxNode): string | undefined {
  if (type !== 'VariableDeclarator' || !isNode(id) || id.type !== 'ObjectPattern' || !isNode(init)) return undefined;
  const object = String(init['value']);
  const keys = [...nodes(id['properties'])].map(node => String(node['value'] ?? ''));
  const key = ASKING[object]?.find(name => keys.includes(name));
  return key && `${object}.${key}`;
}

/** Names a file takes from the outside world, whether called, imported or passed on. */
function worldly(node: SyntaxNode): string | undefined {
  const member = memberName(node);
  const [object = '', property = ''] = member?.split('.') ?? [];
  if (Object.hasOwn(ASKING, object) && ASKING[object]?.includes(property)) return member;
  const taken = unpacked(node);
  if (taken !== undefined) return taken;
  if (node.type === 'NewExpression' && isIdentifier(node['callee'], 'Date') && !hasArguments(node)) return 'new Date()';
  if (node.type === 'CallExpression' && isIdentifier(node['callee'], 'Date')) return 'Date()';
  const name = node.type === 'Identifier' ? String(node['value']) : '';
  return TIMERS.has(name) || CHANCE.has(name) ? name : undefined;
}

const hasArguments = (node: SyntaxNode): boolean => Array.isArray(node['arguments']) && node['arguments'].length > 0;

function worldlyThings(file: SourceFile): string[] {
  const found = [...nodes(file.syntax)].map(worldly).filter(name => name !== undefined);
  const clocks = importsOf(file).filter(({ specifier }) => CLOCKS.test(specifier));
  const things = new Set([...found, ...clocks.map(({ specifier }) => specifier)]);
  return [...things].map(name => `${file.path}: ${name}`);
}

/** `LocalAws.services` is the library's own. */
const isServices = (node: SyntaxNode): boolean => isIdentifier(node, 'services');

/** Lines that silence a tool must say why on the same line or the one before. */
function silencedWithoutReason({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, where: `${path}:${index + 1}` }))
    .filter(({ line }) => /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable/.test(line))
    .filter(({ line }) => !/biome-ignore [\w/]+: \S+|@ts-expect-error \S+ \S+/.test(line))
    .map(({ where }) => where);
}

const source = SOURCE_FOLDERS.flatMap(sourceFiles);

describe('bans', () => {
  test('time and chance come in as parameters', () => {
    const bound = source.filter(({ path }) => !MAY_ASK_THE_WORLD.some(allowed => allowed.test(path)));
    expect(bound.length).toBeGreaterThan(0);
    expect(bound.flatMap(worldlyThings)).toEqual([]);
  });

  test('tests never sleep on the wall clock, but for what runs on a real account', () => {
    const exempt = ['test/house/bans.test.ts', 'test/conformance/target.ts', 'test/integ/main.ts'];
    const sleeping = sourceFiles('test')
      .filter(({ path }) => !exempt.includes(path))
      .flatMap(worldlyThings)
      .filter(thing => /setTimeout|setInterval/.test(thing));
    expect(sleeping).toEqual([]);
  });

  test('the command shows the library as its users have it, and not what is behind', () => {
    const behind = sourceFiles('bin').filter(({ syntax }) => [...nodes(syntax)].some(isServices));
    expect(behind.map(({ path }) => path)).toEqual([]);
    const ways = ['const { sns } = aws.services;', 'const f = ({ services: { sns } }: LocalAws) => sns;'];
    expect(ways.map(text => [...nodes(parsed('bin/a.ts', text).syntax)].some(isServices))).toEqual([true, true]);
  });

  test('what breaks the model of an API is told in one place', () => {
    const telling = source.filter(({ text }) => text.includes('failed to satisfy constraint'));
    expect(telling.map(({ path }) => path)).toEqual(['local/kernel/constraints.ts']);
  });

  test('instants are read in one place: what has no zone would be another one on a machine elsewhere', () => {
    const room = source.filter(({ path }) => !path.startsWith('bin/'));
    const reading = room.filter(({ syntax }) => [...nodes(syntax)].some(node => memberName(node) === 'Date.parse'));
    expect(reading.map(({ path }) => path)).toEqual(['local/kernel/clock.ts']);
  });

  test('whoever silences a tool gives the reason', () => {
    const silenced = [...source, ...sourceFiles('test')].filter(({ path }) => path !== 'test/house/bans.test.ts');
    expect(silenced.flatMap(silencedWithoutReason)).toEqual([]);
  });

  test.each([
    'const now = Date.now();',
    'const now = new Date();',
    'const clock = { now: Date.now };',
    'setTimeout(() => {}, 5);',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "import { randomUUID } from 'node:crypto';",
    'const x = crypto.randomUUID();',
    'const x = Math.random();',
    'const { now } = Date;',
    'const { random: chance } = Math;',
    'const startedNs = process.hrtime.bigint();',
    "import { performance as clock } from 'node:perf_hooks';",
    "const later = require('timers');",
    'const signal = AbortSignal.timeout(5000);',
  ])('finds: %s', text => {
    expect(worldlyThings(parsed('local/a.ts', text)).length).toBeGreaterThan(0);
  });

  test.each(['const day = new Date(0);', 'const sent = new Date(atMs).toISOString();'])('allows: %s', text => {
    expect(worldlyThings(parsed('local/a.ts', text))).toEqual([]);
  });
});
