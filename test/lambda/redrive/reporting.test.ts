import { endMetrics, ownMetrics, runEndedNow, runReport } from '../../../lambda/redrive/reporting';
import { type MetricQuery, minuteOf } from '../../../mover/aws/metrics';
import type { RedriveMetricName } from '../../../policy/metric-names';
import type { RedriveRun } from '../../../policy/redrive/redrive-decision';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { NOW } from '../../policy/redrive/fixtures';

describe('the report of a run', () => {
  const OVER = Date.UTC(2026, 0, 5, 9, 10, 30);

  const ENDED: RedriveRun = {
    startedAtMs: Date.UTC(2026, 0, 5, 9),
    moved: 118,
    returned: 2,
    ending: { reason: 'all dead letters have been moved', overAtMs: OVER },
  };

  const tick = (dueAtMs: number) => ({ trigger: 'tick', dueAtMs }) as const;

  test('A run that ended is reported by one tick, the first after its end, however late that is', () => {
    const first = Date.UTC(2026, 0, 5, 9, 11);
    const reported = [first - MINUTE_MS, first, first + MINUTE_MS].map(
      at => runEndedNow(ENDED, tick(at), MINUTE_MS) !== undefined,
    );
    expect(reported).toEqual([false, true, false]);
    expect([OVER - 1, OVER, OVER + MINUTE_MS].map(at => runEndedNow(ENDED, tick(at), MINUTE_MS) !== undefined)).toEqual(
      [false, true, false],
    );
  });

  test('No other invocation reports it', () => {
    const { ending: _, ...goingOn } = ENDED;
    expect(runEndedNow(goingOn, tick(OVER), MINUTE_MS)).toBeUndefined();
    expect(runEndedNow(undefined, tick(OVER), MINUTE_MS)).toBeUndefined();
    expect(runEndedNow(ENDED, { trigger: 'schedule', dueAtMs: OVER }, MINUTE_MS)).toBeUndefined();
    expect(runEndedNow(ENDED, { trigger: 'tick' }, MINUTE_MS)).toBeUndefined();
  });

  test('The metrics of a run say how it ended', () => {
    const ended = runEndedNow(ENDED, tick(OVER), MINUTE_MS);
    expect(ended && endMetrics(ended)).toEqual({ RunsFinished: 1, Moved: 118, Returned: 2 });
    const { returned: _, ...unknown } = ENDED;
    const stopped = { ...unknown, ending: { cause: 'returned', reason: 'they came back', overAtMs: OVER } } as const;
    expect(endMetrics(stopped)).toEqual({ RunsStopped: 1, Moved: 118 });
  });

  test('The report says how many messages were moved, in a subject that SNS accepts', () => {
    const ended = runEndedNow(ENDED, tick(OVER), MINUTE_MS);
    const { subject, message } = ended ? runReport('Shop/Orders', ended) : { subject: '', message: '' };
    expect(subject).toBe('Moved 118 dead letters: Shop/Orders');
    expect(message).toContain('began at 2026-01-05T09:00:00.000Z: all dead letters have been moved.');
    expect(message).toContain('Moved: 118\nReturned to the dead-letter queue: 2\n');
    const long = runReport('x'.repeat(200), { ...ENDED, moved: 1, ending: { reason: '', overAtMs: OVER } });
    expect(long.subject).toMatch(/^Moved 1 dead letter: x{79}$/);
  });

  test('The report names what is unknown, and that messages may still wait', () => {
    const ending = { reason: 'all have moved', overAtMs: OVER };
    const { message } = runReport('Shop/Orders', { ...ENDED, ending });
    expect(message).toMatch(/Returned to the dead-letter queue: 2\n\nThere is nothing to do\.$/);
    const { returned: _, ...unknown } = ENDED;
    expect(runReport('Shop/Orders', { ...unknown, ending: { ...ending, waiting: 40 } }).message).toMatch(
      /Returned to the dead-letter queue: unknown\nMay still wait in the destination: 40\n\nIf the consumer fails one/,
    );
  });
});

describe('the function’s own figures', () => {
  const STARTED = NOW + 17_000;

  const figure = (name: RedriveMetricName, statistic: MetricQuery['statistic']): MetricQuery => ({
    namespace: 'DeadLetterOffice/Redrive',
    name,
    statistic,
    dimensions: { FunctionName: 'Redrive' },
  });

  const RATE = figure('MovePassRate', 'Maximum');
  const MOVED = figure('MovePassMoved', 'Sum');

  /** Returns a clock, a CloudWatch with these metrics, and a reader of the metrics of the surrounding hour. */
  function scene(known: Readonly<Record<string, number>> = {}) {
    let now = STARTED;
    const written: unknown[] = [];
    const own = ownMetrics(
      (atMs, metrics) => written.push([atMs, metrics]),
      async figures =>
        figures.map(({ name }) => (known[name] ? [{ atMs: minuteOf(STARTED), value: known[name] }] : [])),
      () => now,
    );
    return {
      ...own,
      written,
      pass: (ms: number) => {
        now += ms;
      },
      seen: async (...figures: readonly MetricQuery[]) =>
        (await own.read(figures, NOW - HOUR_MS, NOW + HOUR_MS)).map(points =>
          points.map(({ atMs, value }) => [atMs, value]),
        ),
    };
  }

  /** CloudWatch shows EMF metrics some minutes late. **Assumption CW-14:** AWS does not publish this delay. */
  test('A function knows its new figures at once, by the minute in which its move pass began, and writes them to CloudWatch', async () => {
    const { write, pass, seen, written } = scene();
    write(STARTED, { MovePassRate: 10 });
    for (const MovePassMoved of [8, 9]) {
      pass(50_000);
      write(STARTED, { MovePassMoved });
    }
    expect(await seen(RATE, MOVED)).toEqual([[[minuteOf(STARTED), 10]], [[minuteOf(STARTED), 17]]]);
    expect(written).toEqual([
      [STARTED, { MovePassRate: 10 }],
      [STARTED, { MovePassMoved: 8 }],
      [STARTED, { MovePassMoved: 9 }],
    ]);
  });

  test.each([
    ['less', 12, 17],
    ['more, for another environment told it', 20, 20],
  ])('If CloudWatch knows %s, the larger count is used', async (_, MovePassMoved, expected) => {
    const { write, seen } = scene({ MovePassMoved });
    write(STARTED, { MovePassMoved: 17 });
    expect(await seen(MOVED)).toEqual([[[minuteOf(STARTED), expected]]]);
  });

  test('Old figures are forgotten, because CloudWatch has them; those of a running move pass are not', async () => {
    const { write, pass, seen } = scene();
    write(STARTED, { MovePassRate: 10, MovePassMoved: 100 });
    for (let minute = 0; minute < 10; minute += 1) {
      pass(MINUTE_MS);
      write(STARTED, { MovePassMoved: 1 });
    }
    expect(await seen(RATE, MOVED)).toEqual([[], [[minuteOf(STARTED), 110]]]);
  });

  test('A function knows no figures of others, and none of other times', async () => {
    const { write, read, seen } = scene();
    write(STARTED, { MovePassRate: 10 });
    expect(await seen({ ...RATE, namespace: 'AWS/SQS' })).toEqual([[]]);
    expect(await read([RATE], NOW + MINUTE_MS, NOW + HOUR_MS)).toEqual([[]]);
  });
});
