import { emfLine, emfLines, MAX_METRIC_VALUES, type MetricEvent } from '../../../lambda/shared/emf';
import { embeddedMetrics } from '../../../local/cloudwatch/emf/embedded-metrics';

const NOW_MS = Date.UTC(2026, 0, 1);

const event = (metrics: MetricEvent['metrics']): MetricEvent => ({
  namespace: 'DeadLetterOffice/Relay',
  dimensions: { FunctionName: 'Relay' },
  nowMs: NOW_MS,
  metrics,
});

/** What CloudWatch takes out of a line, as `name: values`; nothing may be wrong with it. */
function taken(line: string): Record<string, readonly number[]> {
  const metrics = embeddedMetrics(line, NOW_MS);
  expect(metrics?.problems).toEqual([]);
  return Object.fromEntries((metrics?.data ?? []).map(({ name, values }) => [name, values]));
}

const countTo = (count: number) => Array.from({ length: count }, (_, i) => i);

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
describe('Metrics in a line of the log', () => {
  test('are as the specification has them', () => {
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

  test('leave out what has no value', () => {
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

  test('go on in further lines where they are more, and none is lost or told twice', () => {
    const lines = emfLines(event({ Attempts: { values: [205] }, Latency: { values: countTo(205) } }));
    expect(lines.map(taken)).toEqual([
      { Attempts: [205], Latency: countTo(100) },
      { Latency: countTo(200).slice(100) },
      { Latency: countTo(205).slice(200) },
    ]);
  });

  test('are one line as a rule, and none where nothing was counted', () => {
    expect(emfLines(event({ Attempts: { values: [1] } }))).toHaveLength(1);
    expect(emfLines(event({ Attempts: { values: [] } }))).toEqual([]);
    expect(emfLines(event({}))).toEqual([]);
  });
});
