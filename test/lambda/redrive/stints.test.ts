import type { MetricQuery, ReadMetrics } from '../../../lambda/redrive/metric-reader';
import { passFacts } from '../../../lambda/redrive/stints';
import { HOUR, MINUTE, NOW, ORDERS } from '../../policy/redrive/fixtures';

const OF = {
  functionName: 'Redrive',
  functionTimeoutMs: 15 * MINUTE,
  carrier: 'copy',
  destinationArn: ORDERS.arn,
} as const;

/** Metrics of minutes before now. */
type MaybeKnown = Readonly<Record<string, Readonly<Record<number, number>>>>;

async function rebuilt(reported: MaybeKnown) {
  const asked: MetricQuery[] = [];
  const read: ReadMetrics = async figures => {
    asked.push(...figures);
    return figures.map(({ name }) =>
      Object.entries(reported[name] ?? {})
        .map(([minutesAgo, value]) => ({ atMs: NOW - Number(minutesAgo) * MINUTE, value }))
        .sort((one, other) => one.atMs - other.atMs),
    );
  };
  return { movePasses: await passFacts(read, OF, NOW - 24 * HOUR, NOW), asked };
}

test('Stints are rebuilt from the metrics of the minute they began in, the newest first', async () => {
  const { movePasses, asked } = await rebuilt({
    StintRate: { 30: 1, 20: 10 },
    StintToMove: { 30: 500, 20: 490 },
    StintMoved: { 30: 10, 20: 97 },
    StintSetAside: { 20: 3 },
    StintReturned: { 20: 2 },
    StintEnd: { 30: 1, 20: 2 },
    StintSeconds: { 20: 400 },
  });
  const every = { carrier: 'copy', destinationArn: ORDERS.arn };
  expect(movePasses).toEqual([
    {
      ...every,
      status: 'CANCELLED',
      startedAtMs: NOW - 20 * MINUTE,
      messagesPerSecond: 10,
      toMove: 490,
      moved: 97,
      setAside: 3,
      returned: 2,
      // At 10 a second 100 letters take ten seconds, and took 400.
      activeAtMs: NOW - 20 * MINUTE + 400_000,
    },
    {
      ...every,
      status: 'COMPLETED',
      startedAtMs: NOW - 30 * MINUTE,
      messagesPerSecond: 1,
      toMove: 500,
      moved: 10,
      setAside: 0,
      returned: 0,
    },
  ]);
  expect(asked.map(({ namespace, dimensions }) => [namespace, dimensions])).toEqual(
    asked.map(() => ['DeadLetterOffice/Redrive', { FunctionName: 'Redrive' }]),
  );
});

/** Each figure has its price: https://aws.amazon.com/cloudwatch/pricing/ */
test('Where the function moved nothing itself, one figure is asked for', async () => {
  const { movePasses, asked } = await rebuilt({});
  expect([movePasses, asked.map(({ name }) => name)]).toEqual([[], ['StintRate']]);
});

test('A stint that never told its end runs as long as Lambda may let it, and then has broken off', async () => {
  const { movePasses } = await rebuilt({ StintRate: { 17: 10, 18: 1, 5: 50 }, StintEnd: { 5: 4 } });
  expect(movePasses.map(({ status, moved }) => [status, moved])).toEqual([
    ['FAILED', 0],
    ['RUNNING', 0],
    ['PAUSED', 0],
  ]);
});
