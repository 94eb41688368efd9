import { readFileSync } from 'node:fs';
import path from 'node:path';
import { dollarsFor, PRICES } from '../../diagnosis/cost/price-list';
import { DEFAULT_RELAY_POLICY, DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { DAY_SECONDS } from '../../policy/time-units';
import { chancesOfAttempts } from '../support/attempt-shares';
import { ROOT } from './source-files';

const GUIDE = ['relay', 'relay-design'].map(it => readFileSync(path.join(ROOT, `docs/${it}.md`), 'utf8')).join('\n');

const MILLION = 1_000_000;
const MONTH_SECONDS = 30 * DAY_SECONDS;

const GIGABYTE_SECOND = PRICES.armGigabyteSecond.dollars;
const [INVOCATION, SQS_REQUEST] = [dollarsFor('invocation', 1), dollarsFor('queueRequest', 1)];
const GIGABYTE_OF_LOG = PRICES.logGigabyte.dollars;
const FUNCTION_GIGABYTES = 0.25;

const lambda = (seconds: number) => seconds * FUNCTION_GIGABYTES * GIGABYTE_SECOND;

/** The size of the log lines of an attempt and of a batch, as the guide states it. */
const [, ATTEMPT_KB = 0, BATCH_KB = 0] = (
  GUIDE.match(/logs are ([\d.]+) KB an attempt and ([\d.]+) KB a batch/) ?? []
).map(Number);

const logs = (attempts: number, batches: number) =>
  ((attempts * ATTEMPT_KB + batches * BATCH_KB) / MILLION) * GIGABYTE_OF_LOG;

/** The last figure of each cell of the row that begins with this text. */
function row(beginning: string): readonly number[] {
  const line = GUIDE.split('\n').find(it => it.startsWith(`| ${beginning}`));
  if (line === undefined) throw new Error(`the guide has no row that begins with ${beginning}`);
  const cells = line.split('|').slice(2, -1);
  return cells.map(cell => Number(cell.match(/([\d.,]+)\*{0,2} *$/)?.[1]?.replaceAll(',', '')));
}

/** The numbers in the guide at the place of each group. */
function said(sentence: RegExp): readonly number[] {
  const found = GUIDE.match(sentence);
  if (!found) throw new Error(`the guide has no sentence that matches ${sentence}`);
  return found.slice(1).map(figure => Number(figure.replaceAll(',', '')));
}

const cents = (dollars: readonly number[]) => dollars.map(it => Math.round(it * 100) / 100);

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('The guide to the relay computes the cost of reading a secret', () => {
  const reads = (2 * 5 * MONTH_SECONDS) / 300;
  expect(said(/at 0\.05 for 10,000: 0\.40 to ([\d.]+)\./)).toEqual(cents([0.4 + (reads * 0.05) / 10_000]));
});

describe('The guide to the relay computes the cost of a day of silence', () => {
  const MESSAGES = 100_000;
  const { totalTimeoutSeconds } = DEFAULT_RELAY_TERMS;
  /** An invocation, a receive and a change of visibility. */
  const calls = (batches: number) => batches * (INVOCATION + 2 * SQS_REQUEST);

  const chances = chancesOfAttempts();
  const attempts = MESSAGES * sum(chances);
  const batches = (MESSAGES * (sum(chances) - sum(chances.slice(1, 1 + DEFAULT_RELAY_POLICY.numNoDelayRetries)))) / 10;

  const slowBatches = (5 * DAY_SECONDS) / (totalTimeoutSeconds + 1);
  const probes = DAY_SECONDS / 300;

  const WAITING = 'Lambda: batches of ten wait';
  const columns: Readonly<Record<string, readonly number[]>> = {
    [WAITING]: [
      lambda((attempts / 10) * totalTimeoutSeconds),
      lambda(5 * DAY_SECONDS),
      lambda(2 * probes * 2 * totalTimeoutSeconds),
    ],
    'Lambda and SQS:': [calls(batches), calls(slowBatches), calls(probes)],
    'Logs |': [logs(attempts, batches), logs(10 * slowBatches, slowBatches), logs(2 * probes, 2 * probes)],
  };
  const turns = lambda(batches);

  test.each(Object.entries(columns))('%s', (beginning, dollars) => {
    expect(row(beginning)).toEqual(cents(dollars));
  });

  test('the total, with the attempts and the turns', () => {
    expect(row('Lambda: a second more')[0]).toBe(cents([turns])[0]);
    const perColumn = [0, 1, 2].map(column => sum(Object.values(columns).map(dollars => cents(dollars)[column] ?? 0)));
    const [first = 0, ...others] = perColumn;
    expect(row('**The outage**')).toEqual(cents([first + (cents([turns])[0] ?? 0), ...others]));
    expect(said(/^\| attempts that fail \| [\d.]+ million \| ([\d.]+) million \| ([\d,]+) of probes/m)).toEqual([
      Math.round(slowBatches / 10_000) / 10,
      2 * probes,
    ]);
    const gigabytes = [logs(attempts, batches), logs(10 * slowBatches, slowBatches)].map(it => it / GIGABYTE_OF_LOG);
    expect(said(/^\| Logs \| ([\d.]+) GB: [\d.]+ \| ([\d.]+) GB/m)).toEqual(
      gigabytes.map(it => Math.round(it * 10) / 10),
    );
  });

  test('what silence costs for each concurrent execution', () => {
    expect(said(/bounds what silence can cost\*\*: ([\d.]+) a day for each/)).toEqual(cents([lambda(DAY_SECONDS)]));
  });
});
