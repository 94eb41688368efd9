import { DAY_MS, MINUTE_MS } from '../../../policy/time-units';
import { CloudWatchFixture, START_MS } from './fixture';

interface Directive {
  readonly Namespace?: unknown;
  readonly Dimensions?: unknown;
  readonly Metrics?: unknown;
}

const DIRECTIVE: Directive = {
  Namespace: 'Rental',
  Dimensions: [['service']],
  Metrics: [{ Name: 'Orders', Unit: 'Count' }],
};

const document = (members: object, directives: unknown = [DIRECTIVE], Timestamp: unknown = START_MS) =>
  JSON.stringify({ _aws: { Timestamp, CloudWatchMetrics: directives }, service: 'billing', ...members });

function write(...messages: string[]): CloudWatchFixture {
  const world = new CloudWatchFixture();
  for (const message of messages) {
    world.cloudWatch.takeLogEvent({ logGroupName: '/aws/lambda/billing', logStreamName: 'stream', message });
  }
  return world;
}

function sums(
  world: CloudWatchFixture,
  MetricName = 'Orders',
  dimensions: Record<string, string> = { service: 'billing' },
) {
  const { Datapoints } = world.ask('GetMetricStatistics', {
    Namespace: 'Rental',
    MetricName,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    Statistics: ['Sum', 'SampleCount'],
    StartTime: new Date(START_MS),
    EndTime: new Date(START_MS + MINUTE_MS),
    Period: 60,
  });
  return Datapoints?.map(({ Sum, SampleCount, Unit }) => ({ Sum, SampleCount, Unit }));
}

const refusals = (world: CloudWatchFixture) =>
  world.trace.events.flatMap(happening =>
    happening.type === 'cloudwatch.embedded-metrics-refused' ? happening.problems : [],
  );

test('a value, and a list of values, become a metric', () => {
  expect(sums(write(document({ Orders: 3 }), document({ Orders: [1, 2] })))).toEqual([
    { Sum: 6, SampleCount: 3, Unit: 'Count' },
  ]);
});

test('what Lambda writes before a line of a function does not matter', () => {
  const line = `2026-01-02T00:00:00.000Z\t8f1c\tINFO\t${document({ Orders: 3 })}\n`;
  expect(sums(write(line))).toEqual([{ Sum: 3, SampleCount: 1, Unit: 'Count' }]);
});

test('each set of dimensions is a metric of its own, and none is one without dimensions', () => {
  const Dimensions = [['service'], ['service', 'city'], []];
  const world = write(document({ Orders: 1, city: 'Oslo' }, [{ ...DIRECTIVE, Dimensions }]));
  expect(sums(world)).toHaveLength(1);
  expect(sums(world, 'Orders', { service: 'billing', city: 'Oslo' })).toHaveLength(1);
  expect(sums(world, 'Orders', {})).toHaveLength(1);
});

test('several directives, high resolution, and a metric whose member is missing', () => {
  const Metrics = [{ Name: 'Latency', Unit: 'Milliseconds', StorageResolution: 1 }, { Name: 'NotThere' }];
  const world = write(document({ Orders: 1, Latency: 20 }, [DIRECTIVE, { ...DIRECTIVE, Metrics }]));
  expect(sums(world)).toHaveLength(1);
  expect(sums(world, 'Latency')).toEqual([{ Sum: 20, SampleCount: 1, Unit: 'Milliseconds' }]);
  expect(sums(world, 'NotThere')).toEqual([]);
  expect(refusals(world)).toEqual([]);
});

test.each([
  ['a plain line', 'START RequestId: 8f1c Version: $LATEST'],
  ['a line that only speaks of it', JSON.stringify({ note: document({ Orders: 3 }) })],
  ['metrics that are not at the root', JSON.stringify({ inner: JSON.parse(document({ Orders: 3 })) })],
])('%s carries no metrics and is no error', (_, message) => {
  const world = write(message);
  expect(sums(world)).toEqual([]);
  expect(world.trace.events).toEqual([]);
});

test.each<[string, string]>([
  ['_aws.Timestamp must be a whole number of milliseconds, got "now"', document({ Orders: 1 }, [DIRECTIVE], 'now')],
  [
    `_aws.Timestamp must be within the last two weeks or the next two hours, got ${START_MS - 15 * DAY_MS}`,
    document({ Orders: 1 }, [DIRECTIVE], START_MS - 15 * DAY_MS),
  ],
  ['_aws.CloudWatchMetrics must be a list, got {}', document({ Orders: 1 }, {})],
  [
    '_aws.CloudWatchMetrics[0].Namespace must be a text of 1 to 1024 characters, got undefined',
    document({ Orders: 1 }, [{ ...DIRECTIVE, Namespace: undefined }]),
  ],
  [
    '_aws.CloudWatchMetrics[0].Metrics must have at most 100 metrics, got 101',
    document({}, [{ ...DIRECTIVE, Metrics: Array.from({ length: 101 }, (_, i) => ({ Name: `m${i}` })) }]),
  ],
  [
    '_aws.CloudWatchMetrics[0].Dimensions[0] must have at most 30 dimensions, got 31',
    document({ Orders: 1 }, [{ ...DIRECTIVE, Dimensions: [Array.from({ length: 31 }, (_, i) => `d${i}`)] }]),
  ],
  [
    '_aws.CloudWatchMetrics[0].Dimensions[0]: city names a member that must be a text of 1 to 1024 characters, got 7',
    document({ Orders: 1, city: 7 }, [{ ...DIRECTIVE, Dimensions: [['city']] }]),
  ],
  [
    '_aws.CloudWatchMetrics[0].Metrics[0].Unit must be a unit, got "Miles"',
    document({ Orders: 1 }, [{ ...DIRECTIVE, Metrics: [{ Name: 'Orders', Unit: 'Miles' }] }]),
  ],
  [
    '_aws.CloudWatchMetrics[0].Metrics[0].StorageResolution must be 1 or 60, got 30',
    document({ Orders: 1 }, [{ ...DIRECTIVE, Metrics: [{ Name: 'Orders', StorageResolution: 30 }] }]),
  ],
  ['Orders must be a number or a list of numbers, got "3"', document({ Orders: '3' })],
  ['Orders must have at most 100 values, got 101', document({ Orders: Array.from({ length: 101 }, () => 1) })],
])('what is malformed is ignored, and the trace says: %s', (problem, message) => {
  const world = write(message);
  expect(sums(world)).toEqual([]);
  expect(refusals(world)).toEqual([problem]);
  const [counted] = world.ask('ListMetrics', { Namespace: 'AWS/Logs' }).Metrics ?? [];
  expect(counted).toMatchObject({
    MetricName: 'EMFValidationErrors',
    Dimensions: [{ Name: 'LogGroupName', Value: '/aws/lambda/billing' }],
  });
});

test('one malformed metric leaves the others alone', () => {
  const Metrics = [{ Name: 'Orders', Unit: 'Count' }, { Name: 'Cars' }];
  const world = write(document({ Orders: 2, Cars: null }, [{ ...DIRECTIVE, Metrics }]));
  expect(sums(world)).toEqual([{ Sum: 2, SampleCount: 1, Unit: 'Count' }]);
  expect(refusals(world)).toEqual(['Cars must be a number or a list of numbers, got null']);
});

test('a line that breaks off is an error of parsing', () => {
  const world = write(document({ Orders: 2 }).slice(0, -5));
  expect(refusals(world)).toEqual([expect.stringContaining('Unexpected end-of-input')]);
  expect(world.ask('ListMetrics', { Namespace: 'AWS/Logs' }).Metrics?.[0]?.MetricName).toBe('EMFParsingErrors');
});
