/**
 * Measures speed, as ratios measured side by side in one run. `npm run bench` builds first.
 *
 * `npm run bench -- wire relay` measures the rows of these files of `test/bench` alone. With `--against COMMIT`, the same
 * measurements are also taken of what that commit builds, in turn with this tree, three times each, and both medians are printed.
 * COMMIT may also be another worktree, which is built.
 */
import { execFileSync, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The files of `test/bench`, in the order of the table. */
const FILES = [
  ...['long-outage', 'deliveries', 'idle-jump', 'idle-day', 'wire', 'function-calls', 'relay', 'redrive'],
  ...['cold-start', 'operator', 'later-test', 'story', 'synthesis'],
];

/** What is measured. Everything else is what it is measured against, the same for both commits. */
const MEASURED = /^(bin|examples|lambda|lib|local)\//;

const ROUNDS = 3;

/** Takes what is measured from another tree. */
const measuredOf = tree => ({
  name: 'measured-of',
  setup: plugin =>
    plugin.onResolve({ filter: /^\.\.\// }, ({ path: imported, resolveDir, kind }) => {
      const file = path.relative(root, path.resolve(resolveDir, imported));
      const isHere = resolveDir.startsWith(path.join(root, 'test'));
      return isHere && MEASURED.test(`${file}/`) ? plugin.resolve(`./${file}`, { resolveDir: tree, kind }) : null;
    }),
});

/** Bundles a file as the embedded AWS itself is bundled. @returns false if the tree lacks what is measured */
async function bundled(name, tree) {
  const outdir = path.join(tree, 'dist/bench');
  const options = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    external: ['aws-cdk-lib', 'constructs'],
    alias: { level: 'memory-level' },
    sourcemap: 'linked',
    plugins: tree === root ? [] : [measuredOf(tree)],
    logLevel: tree === root ? 'warning' : 'silent',
  };
  try {
    await build({ ...options, entryPoints: [`test/bench/${name}.ts`] });
    return true;
  } catch (error) {
    if (tree === root) throw error;
    return false;
  }
}

/** The figures of the rows of a file, until one cannot be measured. */
async function figuresOf(file, tree) {
  // Hides the SDK's advice to upgrade Node.js, which would appear among the figures.
  const env = { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
  const child = fork(path.join(tree, 'dist/bench/bench.js'), [file], { cwd: tree, env });
  const figures = [];
  child.on('message', figure => figures.push(figure));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0 && tree === root) throw new Error(`test/bench/${file}.ts could not be measured`);
  return figures;
}

/** The middle one. */
function median(figures) {
  const sorted = figures.filter(it => it !== undefined).sort((a, b) => a.value - b.value);
  return sorted[Math.floor(sorted.length / 2)];
}

function valueText(figure) {
  if (figure === undefined) return '–';
  const { value, unit = '' } = figure;
  return value >= 0.01 ? `${value.toPrecision(3)} ${unit}`.trim() : `1/${Math.round(1 / value)}`;
}

async function table(files, trees) {
  for (const file of files) {
    const measured = trees.map(() => []);
    for (let round = 0; round < (trees.length > 1 ? ROUNDS : 1); round += 1) {
      for (const [index, tree] of trees.entries()) {
        if (tree.files.has(file)) measured[index].push(await figuresOf(file, tree.root));
      }
    }
    const rows = Math.max(...measured.flat().map(figures => figures.length));
    for (let row = 0; row < rows; row += 1) {
      const columns = measured.map(rounds => median(rounds.map(figures => figures[row])));
      const { text } = columns.findLast(it => it !== undefined);
      console.log(`${columns.map(it => valueText(it).padStart(10)).join('')}  ${text}`);
    }
  }
}

/** Bundles what runs in a thread or a process of its own, and what is loaded there, then each file. */
async function prepared(tree, files) {
  const others = readdirSync(path.join(root, 'test/bench'))
    .filter(file => /\.(child|lambda|worker)\.ts$/.test(file))
    .map(file => path.basename(file, '.ts'));
  for (const name of ['bench', ...others]) await bundled(name, tree);
  const built = new Set();
  for (const name of files) if (await bundled(name, tree)) built.add(name);
  return { root: tree, files: built };
}

/** Builds a commit in a temporary folder, as this tree is built, for as long as `use` runs. */
async function withCommit(commit, use) {
  if (existsSync(path.join(commit, 'dist'))) return use(path.resolve(commit));
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-bench-against-'));
  const tree = path.join(folder, commit);
  const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    run('git', ['worktree', 'add', '--detach', tree, commit], root);
    const lockOf = folder => readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
    if (lockOf(root) === lockOf(tree)) symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
    else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], tree);
    run(process.execPath, ['.scripts/build.mjs', '--no-jsii'], tree);
    return await use(tree);
  } finally {
    if (existsSync(tree)) run('git', ['worktree', 'remove', '--force', tree], root);
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({ options: { against: { type: 'string' } }, allowPositionals: true });
const unknown = positionals.filter(name => !FILES.includes(name));
if (unknown.length > 0) {
  console.error(`the names of rows are ${FILES.join(', ')}: got ${unknown.join(', ')}`);
  process.exit(2);
}
const files = FILES.filter(name => positionals.length === 0 || positionals.includes(name));
const here = await prepared(root, files);
console.log('Ratios, each measured side by side in this run:');
if (values.against === undefined) await table(files, [here]);
else {
  await withCommit(values.against, async tree => {
    console.log(`${path.basename(values.against).slice(0, 9).padStart(10)}${'here'.padStart(10)}`);
    await table(files, [await prepared(tree, files), here]);
  });
}
