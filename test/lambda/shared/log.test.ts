import {
  emfLine,
  emfLines,
  flushingLog,
  LineBuffer,
  MAX_METRIC_VALUES,
  type MetricEvent,
} from '../../../lambda/shared/log';
import { embeddedMetrics } from '../../../local/cloudwatch/embedded-metrics';

describe('the output of a handler', () => {
  /** A handler that logs its input to a buffer. Only the end of an invocation flushes the buffer. */
  function scene(answer: () => Promise<string>) {
    const written: string[] = [];
    const lines = new LineBuffer(
      text => written.push(text),
      () => {},
    );
    const handler = flushingLog(lines, async (event: string, context: string) => {
      lines.add(`${event} ${context}`);
      return await answer();
    });
    return { written, handler };
  }

  test('What a handler printed is written before its answer is returned', async () => {
    const { written, handler } = scene(async () => 'answer');
    expect(await handler('event', 'context')).toBe('answer');
    expect(written).toEqual(['event context\n']);
  });

  test('What a handler printed is written before it fails', async () => {
    const { written, handler } = scene(() => Promise.reject(new Error('no')));
    await expect(handler('event', 'context')).rejects.toThrow('no');
    expect(written).toEqual(['event context\n']);
  });
});

/** A log whose event loop turns when the test says so. */
function lines() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const under = new LineBuffer(
    text => written.push(text),
    then => waiting.push(then),
  );
  const turn = () => {
    for (const then of waiting.splice(0)) then();
  };
  return { under, written, turn, waiting };
}

describe('Lines of a log', () => {
  test('printed in one turn of the event loop are one write, in their order', () => {
    const { under, written, turn } = lines();
    under.add('{"order":1}');
    under.add('{"order":2}');
    expect(written).toEqual([]);
    turn();
    expect(written).toEqual(['{"order":1}\n{"order":2}\n']);
  });

  test('printed in another turn are another write', () => {
    const { under, written, turn } = lines();
    under.add('first');
    turn();
    under.add('second');
    turn();
    expect(written).toEqual(['first\n', 'second\n']);
  });

  test('are written at once if nothing may wait, and never twice', () => {
    const { under, written, turn } = lines();
    under.add('first');
    under.flush();
    expect(written).toEqual(['first\n']);
    under.flush();
    turn();
    expect(written).toEqual(['first\n']);
  });

  test('printed after such a write wait for the end of the turn again', () => {
    const { under, written, turn, waiting } = lines();
    under.add('first');
    turn();
    under.add('second');
    under.add('third');
    expect(waiting).toHaveLength(1);
    turn();
    expect(written).toEqual(['first\n', 'second\nthird\n']);
  });
});

const NOW_MS = Date.UTC(2026, 0, 1);

const event = (metrics: MetricEvent['metrics']): MetricEvent => ({
  namespace: 'DeadLetterOffice/Relay',
  dimensions: { FunctionName: 'Relay' },
  nowMs: NOW_MS,
  metrics,
});

/** Returns the metrics that CloudWatch extracts from a line, by name. Fails if the line is invalid. */
function taken(line: string): Record<string, readonly number[]> {
  const metrics = embeddedMetrics(line, NOW_MS);
  expect(metrics?.problems).toEqual([]);
  return Object.fromEntries((metrics?.data ?? []).map(({ name, values }) => [name, values]));
}

const countTo = (count: number) => Array.from({ length: count }, (_, i) => i);

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
describe('Metrics in a line of the log', () => {
  test('have the form of the specification', () => {
    const line = emfLine(event({ Attempts: { values: [3], unit: 'Count' }, State: { values: [2, 0] } }));
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: NOW_MS,
        CloudWatchMetrics: [
          {
            Namespace: 'DeadLetterOffice/Relay',
            Dimensions: [['FunctionName']],
            Metrics: [
              { Name: 'Attempts', Unit: 'Count' },
              { Name: 'State', Unit: 'None' },
            ],
          },
        ],
      },
      FunctionName: 'Relay',
      Attempts: 3,
      State: [2, 0],
    });
    expect(line).not.toContain('\n');
  });

  test('reach CloudWatch with their unit, dimension and time', () => {
    const line = emfLine(event({ Latency: { values: [1.5, 2], unit: 'Milliseconds' } }));
    expect(embeddedMetrics(line, NOW_MS)?.data).toEqual([
      expect.objectContaining({
        namespace: 'DeadLetterOffice/Relay',
        name: 'Latency',
        dimensions: { FunctionName: 'Relay' },
        unit: 'Milliseconds',
        atMs: NOW_MS,
        values: [1.5, 2],
      }),
    ]);
  });

  test('are left out without a value', () => {
    const line = emfLine(event({ Attempts: { values: [1] }, Latency: { values: [] } }));
    expect(taken(line)).toEqual({ Attempts: [1] });
    expect(line).not.toContain('Latency');
  });

  test('have a hundred values each at most', () => {
    const full = event({ Latency: { values: countTo(MAX_METRIC_VALUES) } });
    expect(taken(emfLine(full))).toEqual({ Latency: countTo(100) });
    const over = event({ Latency: { values: countTo(101) }, Lateness: { values: [1] } });
    expect(() => emfLine(over)).toThrow('Latency must have at most 100 values in a line');
  });

  test('continue in further lines if they are more, and none is lost or repeated', () => {
    const lines = emfLines(event({ Attempts: { values: [205] }, Latency: { values: countTo(205) } }));
    expect(lines.map(taken)).toEqual([
      { Attempts: [205], Latency: countTo(100) },
      { Latency: countTo(200).slice(100) },
      { Latency: countTo(205).slice(200) },
    ]);
  });

  test('are usually one line, and none if nothing was counted', () => {
    expect(emfLines(event({ Attempts: { values: [1] } }))).toHaveLength(1);
    expect(emfLines(event({ Attempts: { values: [] } }))).toEqual([]);
    expect(emfLines(event({}))).toEqual([]);
  });
});
