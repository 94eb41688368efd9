/**
 * Checks each promise of `docs/promises.md`: its test passes, and fails when the row's mutant is in the source. It works in a copy of
 * the tree, with the packages and the build of this one. `npm run check:promises -- relay-pace` checks one promise.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Copies what Git knows or could add, and the build. Packages are linked. */
function copyTree(to) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    const source = path.join(root, file);
    if (!existsSync(source)) continue;
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    cpSync(source, path.join(to, file));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(to, 'node_modules'));
  copyBuild(to);
}

function copyBuild(to) {
  rmSync(path.join(to, 'dist'), { recursive: true, force: true });
  cpSync(path.join(root, 'dist'), path.join(to, 'dist'), { recursive: true });
}

/** The source files of all bundles, as their source maps name them. */
function bundledFiles() {
  const maps = readdirSync(path.join(root, 'dist'), { recursive: true }).filter(file => file.endsWith('.js.map'));
  const sourcesOf = map => {
    const { sources } = JSON.parse(readFileSync(path.join(root, 'dist', map), 'utf8'));
    return sources.map(source => path.join('dist', path.dirname(map), source));
  };
  return new Set(maps.flatMap(sourcesOf));
}

/** The pattern of a test's full name. Placeholders of `test.each` stand for any text. */
function namePattern(title) {
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return `(^| )${escaped.replace(/%[a-z]|\\\$[\w.]+/g, '.*').replaceAll('%%', '%')}$`;
}

/** Runs the test of a promise. */
function play(tree, { file, title, only = title }) {
  const outputFile = path.join(tree, 'jest-result.json');
  rmSync(outputFile, { force: true });
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const options = ['--ci', '--json', `--outputFile=${outputFile}`, '--testPathIgnorePatterns=/node_modules/'];
  const { stderr } = spawnSync(
    process.execPath,
    ['--single-threaded-gc', jest, ...options, `--testNamePattern=${namePattern(only)}`, '--runTestsByPath', file],
    { cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (!existsSync(outputFile)) return { passed: 0, failed: 0, why: stderr.trim().slice(-500) };
  const result = JSON.parse(readFileSync(outputFile, 'utf8'));
  const messages = result.testResults.flatMap(({ message, assertionResults }) => [
    ...assertionResults.flatMap(({ failureMessages }) => failureMessages),
    message,
  ]);
  const [why = ''] = messages.filter(Boolean);
  return { passed: result.numPassedTests, failed: result.numFailedTests, why };
}

function withMutant(tree, { file, from, to }, isBundled, run) {
  const target = path.join(tree, file);
  const original = readFileSync(target, 'utf8');
  writeFileSync(
    target,
    original.replace(from, () => to),
  );
  try {
    if (isBundled) execFileSync(process.execPath, ['.scripts/build.mjs', '--no-jsii'], { cwd: tree, stdio: 'pipe' });
    return run();
  } finally {
    writeFileSync(target, original);
    if (isBundled) copyBuild(tree);
  }
}

/** What is wrong with a promise; undefined if nothing is. */
function problemOf(tree, { test, mutant }, bundled) {
  const sound = play(tree, test);
  if (sound.failed > 0 || sound.passed === 0) return { problem: 'its test does not pass', why: sound.why };
  const mutated = withMutant(tree, mutant, bundled.has(mutant.file), () => play(tree, test));
  return { problem: mutated.failed > 0 ? undefined : 'its test does not notice the mutant', why: mutated.why };
}

/** The line of a failure that says what differed. */
const inShort = why =>
  why
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Jest colors its messages.
    .replace(/\u001b\[\d+m/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('at '))
    .slice(0, 4)
    .join(' ')
    .slice(0, 160);

const { parts } = JSON.parse(readFileSync(path.join(root, 'test/repository/promises.json'), 'utf8'));
const promises = parts.flatMap(part => part.promises);
const asked = process.argv.slice(2);
const unknown = asked.filter(id => !promises.some(promise => promise.id === id));
if (unknown.length > 0) {
  console.error(`There is no promise ${unknown.join(', ')}. There are: ${promises.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}
const tree = mkdtempSync(path.join(tmpdir(), 'dlo-promises-'));
let broken = 0;
try {
  copyTree(tree);
  const bundled = bundledFiles();
  for (const promise of promises.filter(({ id }) => asked.length === 0 || asked.includes(id))) {
    const beganAtMs = Date.now();
    const { problem, why } = problemOf(tree, promise, bundled);
    if (problem !== undefined) broken += 1;
    const seconds = Math.round((Date.now() - beganAtMs) / 1_000);
    console.log(
      `${problem === undefined ? 'ok    ' : 'BROKEN'} ${promise.id} (${seconds} s): ${problem ?? 'fails on its mutant'}: ${inShort(why)}`,
    );
  }
} finally {
  rmSync(tree, { recursive: true, force: true });
}
console.log(broken === 0 ? 'Every promise holds, and its test fails on its mutant.' : `${broken} promises are broken.`);
process.exitCode = broken === 0 ? 0 : 1;
