/**
 * Plays random redrives, relays and fleets from 200 seeds, with faults and crashes, and prints how many messages were published,
 * delivered, dead-lettered and lost. `DLO_SEEDS=7-7 npm run test:seeds` plays one seed. Other arguments go to Jest.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ALL_SEEDS = '1-200';
const FILES = [
  'scenarios/redrive/random-redrives.long.test.ts',
  'scenarios/relay/nothing-lost.long.test.ts',
  'fleet/random-fleets.long.test.ts',
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { DLO_SEEDS: seeds = ALL_SEEDS } = process.env;
const [, first, last] = /^([1-9]\d*)-([1-9]\d*)$/.exec(seeds) ?? [];
if (first === undefined || Number(first) > Number(last)) {
  console.error(`DLO_SEEDS must be a range of seeds, such as 1-200: got ${JSON.stringify(seeds)}`);
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--single-threaded-gc',
    '--max-semi-space-size=64',
    path.join(root, 'node_modules/jest/bin/jest.js'),
    '--ci',
    '--testPathIgnorePatterns=/node_modules/',
    // The other tests of these files have seeds of their own.
    '--testNamePattern=loses none of 200 messages each|with 30 messages|loses none of its messages',
    ...process.argv.slice(2),
    '--runTestsByPath',
    ...FILES.map(file => path.join('test', file)),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, DLO_SEEDS: seeds } },
);
process.exitCode = status ?? 1;
