import { importsOf } from './imports-of';
import { isNode, nodes, parsed, SOURCE_FOLDERS, type SourceFile, type SyntaxNode, sourceFiles } from './source-files';

/**
 * Time and randomness are parameters everywhere except here. `function-thread` stops a thread that hangs in real time, and `timeline` lets
 * other code of the process run between two pieces of work.
 */
const MAY_READ_THE_MACHINE = [
  /^(bin|console)\//,
  /\.(lambda|process)\.ts$/,
  /^consumer\/index\.ts$/,
  /^fleet\/machine\.ts$/,
  /^mover\/aws\/clock\.ts$/,
  /^local\/kernel\/timeline\.ts$/,
  /^local\/wire\//,
  /^local\/lambda\/worker\//,
  /^local\/lambda\/environment\/(function-thread|handled-environment)\.ts$/,
];

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const RANDOMNESS = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']);

/** `object.property` of a member expression, for example `Date.now`. */
function memberName(node: SyntaxNode): string | undefined {
  const { type, object, property } = node;
  if (type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return undefined;
  return `${String(object['value'] ?? '')}.${String(property['value'] ?? '')}`;
}

const isIdentifier = (node: unknown, name: string): boolean => isNode(node) && node['value'] === name;

/** Members that read the machine's time or randomness, by their object. */
const MACHINE_READERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'],
  Math: ['random'],
  performance: ['now', 'timeOrigin'],
  process: ['hrtime', 'uptime'],
  AbortSignal: ['timeout'],
};

/** Texts without one of these words need not be parsed. */
const MAY_READ =
  /\b(Date|Math|performance|process|AbortSignal|setTimeout|setInterval|setImmediate|random\w+|getRandomValues|perf_hooks|timers)\b/;

/** Modules that export nothing but the machine's time. */
const CLOCKS = /^(node:)?(perf_hooks|timers(\/promises)?)$/;

/** `const { now } = Date`, also under another name. */
function unpacked({ type, id, init }: SyntaxNode): string | undefined {
  if (type !== 'VariableDeclarator' || !isNode(id) || id.type !== 'ObjectPattern' || !isNode(init)) return undefined;
  const object = String(init['value']);
  const keys = [...nodes(id['properties'])].map(node => String(node['value'] ?? ''));
  const key = MACHINE_READERS[object]?.find(name => keys.includes(name));
  return key && `${object}.${key}`;
}

/** The name by which a node reads the machine's time or randomness, whether it is called, imported or passed on. */
function machineRead(node: SyntaxNode): string | undefined {
  const member = memberName(node);
  const [object = '', property = ''] = member?.split('.') ?? [];
  if (Object.hasOwn(MACHINE_READERS, object) && MACHINE_READERS[object]?.includes(property)) return member;
  const taken = unpacked(node);
  if (taken !== undefined) return taken;
  if (node.type === 'NewExpression' && isIdentifier(node['callee'], 'Date') && !hasArguments(node)) return 'new Date()';
  if (node.type === 'CallExpression' && isIdentifier(node['callee'], 'Date')) return 'Date()';
  const name = node.type === 'Identifier' ? String(node['value']) : '';
  return TIMERS.has(name) || RANDOMNESS.has(name) ? name : undefined;
}

const hasArguments = (node: SyntaxNode): boolean => Array.isArray(node['arguments']) && node['arguments'].length > 0;

function machineReads(file: SourceFile): string[] {
  if (!MAY_READ.test(file.text)) return [];
  const found = [...nodes(file.syntax)].map(machineRead).filter(name => name !== undefined);
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
  test('time and randomness are parameters', () => {
    const bound = source.filter(({ path }) => !MAY_READ_THE_MACHINE.some(allowed => allowed.test(path)));
    expect(bound.length).toBeGreaterThan(0);
    expect(bound.flatMap(machineReads)).toEqual([]);
  });

  test('tests never sleep on the wall clock, except those that run on a real account', () => {
    const exempt = ['test/repository/bans.test.ts', 'test/conformance/target.ts', 'test/integ/main.ts'];
    const sleeping = sourceFiles('test')
      .filter(({ path }) => !exempt.includes(path))
      .flatMap(machineReads)
      .filter(thing => /setTimeout|setInterval/.test(thing));
    expect(sleeping).toEqual([]);
  });

  test('the command uses the public API of the embedded AWS only', () => {
    const behind = sourceFiles('bin').filter(
      file => file.text.includes('services') && [...nodes(file.syntax)].some(isServices),
    );
    expect(behind.map(({ path }) => path)).toEqual([]);
    const ways = ['const { sns } = aws.services;', 'const f = ({ services: { sns } }: LocalAws) => sns;'];
    expect(ways.map(text => [...nodes(parsed('bin/a.ts', text).syntax)].some(isServices))).toEqual([true, true]);
  });

  test('one place words the errors of a request that breaks the model of an API', () => {
    const wording = source.filter(({ text }) => text.includes('failed to satisfy constraint'));
    expect(wording.map(({ path }) => path)).toEqual(['local/kernel/constraints.ts']);
  });

  test('the embedded AWS parses instants in one place: a text without a time zone means another instant on another machine', () => {
    const embeddedAws = source.filter(({ path }) => path.startsWith('local/') || path === 'policy/instants.ts');
    const reading = embeddedAws.filter(
      file =>
        file.text.includes('Date.parse') && [...nodes(file.syntax)].some(node => memberName(node) === 'Date.parse'),
    );
    expect(reading.map(({ path }) => path)).toEqual(['policy/instants.ts']);
  });

  test('a comment that silences a tool gives the reason', () => {
    const silenced = [...source, ...sourceFiles('test')].filter(({ path }) => path !== 'test/repository/bans.test.ts');
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
    expect(machineReads(parsed('local/a.ts', text)).length).toBeGreaterThan(0);
  });

  test.each(['const day = new Date(0);', 'const sent = new Date(atMs).toISOString();'])('allows: %s', text => {
    expect(machineReads(parsed('local/a.ts', text))).toEqual([]);
  });
});
