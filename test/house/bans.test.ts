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

/** Names a file takes from the outside world, whether called, imported or passed on. */
function worldly(node: SyntaxNode): string | undefined {
  const member = memberName(node);
  if (member === 'Date.now' || member === 'Math.random' || member === 'performance.now') return member;
  if (node.type === 'NewExpression' && isIdentifier(node['callee'], 'Date') && !hasArguments(node)) return 'new Date()';
  if (node.type === 'CallExpression' && isIdentifier(node['callee'], 'Date')) return 'Date()';
  const name = node.type === 'Identifier' ? String(node['value']) : '';
  return TIMERS.has(name) || CHANCE.has(name) ? name : undefined;
}

const hasArguments = (node: SyntaxNode): boolean => Array.isArray(node['arguments']) && node['arguments'].length > 0;

function worldlyThings({ path, syntax }: SourceFile): string[] {
  const found = [...nodes(syntax)].map(worldly).filter(name => name !== undefined);
  return [...new Set(found)].map(name => `${path}: ${name}`);
}

/** Lines that silence a tool must say why on the same line or the one before. */
function silencedWithoutReason({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, where: `${path}:${index + 1}` }))
    .filter(({ line }) => /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable/.test(line))
    .filter(({ line }) => !/biome-ignore [\w/]+: \S+|@ts-expect-error \S+ \S+/.test(line))
    .map(({ where }) => where);
}

const source = ['lib', 'lambda', 'local', 'consumer', 'bin'].flatMap(sourceFiles);

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
  ])('finds: %s', text => {
    expect(worldlyThings(parsed('local/a.ts', text)).length).toBeGreaterThan(0);
  });

  test.each(['const day = new Date(0);', 'const sent = new Date(atMs).toISOString();'])('allows: %s', text => {
    expect(worldlyThings(parsed('local/a.ts', text))).toEqual([]);
  });
});
