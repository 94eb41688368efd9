/**
 * Runs Stryker on a sample of the files that the whole run mutates, which takes hours: every tenth file, starting with the
 * first. `npm run mutation:sample -- --every 5 --from 2` takes every fifth file, starting with the third.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { mutate } = require('../.stryker.config.json');

function wholeNumber(name, text, min) {
  if (/^\d+$/.test(text) && Number(text) >= min) return Number(text);
  console.error(`--${name} must be a whole number of at least ${min}: got ${JSON.stringify(text)}`);
  process.exit(2);
}

const { values } = parseArgs({
  options: { every: { type: 'string', default: '10' }, from: { type: 'string', default: '0' } },
});
const every = wholeNumber('every', values.every, 1);
const from = wholeNumber('from', values.from, 0);
const files = execFileSync('git', ['ls-files', '--', ...mutate.map(pattern => `:(glob)${pattern}`)], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const sample = files.filter((_, index) => index % every === from % every);
console.log(`${sample.length} of ${files.length} files:\n${sample.join('\n')}\n`);
const stryker = path.join(path.dirname(require.resolve('@stryker-mutator/core/package.json')), 'bin/stryker.js');
const { status } = spawnSync(process.execPath, [stryker, 'run', '--mutate', sample.join(',')], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
