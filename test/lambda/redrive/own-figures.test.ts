import { type MetricQuery, minuteOf } from '../../../lambda/redrive/metric-reader';
import { ownMetrics } from '../../../lambda/redrive/own-figures';
import type { RedriveMetricName } from '../../../policy/redrive/redrive-metrics';
import { HOUR, MINUTE, NOW } from '../../policy/redrive/fixtures';

const STARTED = NOW + 17_000;

const figure = (name: RedriveMetricName, statistic: MetricQuery['statistic']): MetricQuery => ({
  namespace: 'DeadLetterOffice/Redrive',
  name,
  statistic,
  dimensions: { FunctionName: 'Redrive' },
});

const RATE = figure('StintRate', 'Maximum');
const MOVED = figure('StintMoved', 'Sum');

/** A clock, a CloudWatch that knows so much by now, and what is read of the hour around. */
function scene(known: Readonly<Record<string, number>> = {}) {
  let now = STARTED;
  const written: unknown[] = [];
  const own = ownMetrics(
    (atMs, metrics) => written.push([atMs, metrics]),
    async figures => figures.map(({ name }) => (known[name] ? [{ atMs: minuteOf(STARTED), value: known[name] }] : [])),
    () => now,
  );
  return {
    ...own,
    written,
    pass: (ms: number) => {
      now += ms;
    },
    seen: async (...figures: readonly MetricQuery[]) =>
      (await own.read(figures, NOW - HOUR, NOW + HOUR)).map(points => points.map(({ atMs, value }) => [atMs, value])),
  };
}

/** CloudWatch has EMF's metrics some minutes late: nobody publishes how many. */
test('What a function tells it knows at once, by the minute its stint began in, and CloudWatch is told of it', async () => {
  const { tell, pass, seen, written } = scene();
  tell(STARTED, { StintRate: 10 });
  for (const StintMoved of [8, 9]) {
    pass(50_000);
    tell(STARTED, { StintMoved });
  }
  expect(await seen(RATE, MOVED)).toEqual([[[minuteOf(STARTED), 10]], [[minuteOf(STARTED), 17]]]);
  expect(written).toEqual([
    [STARTED, { StintRate: 10 }],
    [STARTED, { StintMoved: 8 }],
    [STARTED, { StintMoved: 9 }],
  ]);
});

test.each([
  ['less', 12, 17],
  ['more, for another environment told it', 20, 20],
])('Where CloudWatch knows %s, the larger count is taken', async (_, StintMoved, expected) => {
  const { tell, seen } = scene({ StintMoved });
  tell(STARTED, { StintMoved: 17 });
  expect(await seen(MOVED)).toEqual([[[minuteOf(STARTED), expected]]]);
});

test('What was told long ago is forgotten, for CloudWatch knows it; what a long stint goes on with is not', async () => {
  const { tell, pass, seen } = scene();
  tell(STARTED, { StintRate: 10, StintMoved: 100 });
  for (let minute = 0; minute < 10; minute += 1) {
    pass(MINUTE);
    tell(STARTED, { StintMoved: 1 });
  }
  expect(await seen(RATE, MOVED)).toEqual([[], [[minuteOf(STARTED), 110]]]);
});

test('Of what others count, and of other times, it knows nothing', async () => {
  const { tell, read, seen } = scene();
  tell(STARTED, { StintRate: 10 });
  expect(await seen({ ...RATE, namespace: 'AWS/SQS' })).toEqual([[]]);
  expect(await read([RATE], NOW + MINUTE, NOW + HOUR)).toEqual([[]]);
});
