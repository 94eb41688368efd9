/**
 * Plays the runs of same-bytes.mjs on this Node.js and on other releases of it, which it installs from npm in a temporary
 * folder: `node .scripts/check-node.mjs 20 24`. @default 24. Ends with 1 where the traces differ in a byte. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const releases = process.argv.length > 2 ? process.argv.slice(2) : ['24'];
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-node-'));
const windows = process.platform === 'win32';

function run(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stderr}`);
  return stdout;
}

/** Installs a release and returns its binary. */
function install(release) {
  const cwd = path.join(folder, release);
  mkdirSync(cwd);
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node@${release}`];
  run(windows ? 'npm.cmd' : 'npm', args, { cwd, shell: windows });
  return path.join(cwd, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
}

try {
  const script = path.join(import.meta.dirname, 'same-bytes.mjs');
  const binaries = [process.execPath, ...releases.map(install)];
  const played = binaries.map(binary => ({ version: run(binary, ['--version']).trim(), bytes: run(binary, [script]) }));
  for (const { version, bytes } of played) console.log(`${version}\n${bytes}`);
  const differing = played.filter(({ bytes }) => bytes !== played[0].bytes).map(({ version }) => version);
  console.log(differing.length === 0 ? 'The bytes are the same.' : `Other bytes on ${differing.join(', ')}.`);
  process.exitCode = differing.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
