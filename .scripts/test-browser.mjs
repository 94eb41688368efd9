/**
 * Tests the console in a Chromium: that of CHROME_PATH, or the first on the PATH. Where there is none, it says so and succeeds. Arguments are
 * those of jest. DLO_REWRITE_DOCS=1 takes the pictures of docs/console.md again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const APPS = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

const runs = path => spawnSync(path, ['--version'], { encoding: 'utf8' }).status === 0;
const given = process.env.CHROME_PATH;

if (given && !runs(given)) {
  console.error(`CHROME_PATH must be a Chromium that runs: got ${given}`);
  process.exit(2);
}
const found = given || [...NAMES, ...APPS.filter(existsSync)].find(runs);
if (!found) {
  console.log(`
################################################################################
  NO BROWSER: the tests of the console in a browser did not run.
  Install Chromium, or set CHROME_PATH.
################################################################################
`);
  process.exit(0);
}

const jest = [
  '--testPathIgnorePatterns',
  '/node_modules/',
  '--testPathPatterns',
  String.raw`\.browser\.test\.ts$`,
  '--ci',
  ...process.argv.slice(2),
];
const env = { ...process.env, CHROME_PATH: executableOf(found) };
const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...jest], { env, stdio: 'inherit' });
process.exit(status ?? 1);

/** Playwright takes a path only. */
function executableOf(name) {
  if (name.includes('/')) return name;
  return spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
}
