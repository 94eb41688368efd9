import { CloudWatchFixture, DEAD_LETTERS, START_MS, worldWith } from './fixture';

const BODY = '{"widgets":[{"type":"text","properties":{"markdown":"Ops"}}]}';
const DASHBOARD = 'arn:aws:cloudwatch::123456789012:dashboard/Ops';
const ALARM = 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters';

describe('dashboards', () => {
  const worldWithDashboard = (DashboardName = 'Ops'): CloudWatchFixture => {
    const world = new CloudWatchFixture();
    world.ask('PutDashboard', { DashboardName, DashboardBody: BODY });
    return world;
  };

  test('are kept, listed by prefix, and deleted all at once or not at all', () => {
    const world = worldWithDashboard();
    expect(world.ask('GetDashboard', { DashboardName: 'Ops' })).toEqual({
      DashboardArn: DASHBOARD,
      DashboardBody: BODY,
      DashboardName: 'Ops',
    });
    expect(world.ask('ListDashboards', { DashboardNamePrefix: 'O' }).DashboardEntries).toEqual([
      { DashboardName: 'Ops', DashboardArn: DASHBOARD, LastModified: new Date(START_MS), Size: BODY.length },
    ]);
    expect(world.ask('ListDashboards', { DashboardNamePrefix: 'x' }).DashboardEntries).toEqual([]);
    expect(() => world.ask('DeleteDashboards', { DashboardNames: ['Ops', 'Nobody'] })).toThrow(
      expect.objectContaining({
        code: 'ResourceNotFound',
        message: 'Dashboard Nobody does not exist',
        httpStatus: 404,
      }),
    );
    world.ask('DeleteDashboards', { DashboardNames: ['Ops'] });
    expect(() => world.ask('GetDashboard', { DashboardName: 'Ops' })).toThrow('Dashboard Ops does not exist');
  });

  test.each([
    ['The field DashboardBody must be a valid JSON object', '{"widgets":'],
    ['The field DashboardBody must be a valid JSON object', '[]'],
    [
      `The dashboard body is invalid, there are 1 validation errors: [{"dataPath":"","message":"Should have required property 'widgets'"}]`,
      '{}',
    ],
    [
      'The dashboard body is invalid, there are 1 validation errors: [{"dataPath":"/widgets","message":"Should be array"}]',
      '{"widgets":{}}',
    ],
    [
      `The dashboard body is invalid, there are 2 validation errors: [{"dataPath":"/widgets/0","message":"Should have required property 'type'"},{"dataPath":"/widgets/0","message":"Should have required property 'properties'"}]`,
      '{"widgets":[{}]}',
    ],
  ])('must be one: %s', (message, DashboardBody) => {
    expect(() => new CloudWatchFixture().ask('PutDashboard', { DashboardName: 'Ops', DashboardBody })).toThrow(
      expect.objectContaining({ code: 'InvalidParameterInput', message }),
    );
  });

  const NO_SOURCE = 'The metric widget should have specified a region and a data source or an alarm annotation';
  const metric = (...metrics: unknown[]) => ({ type: 'metric', properties: { region: 'us-east-1', metrics } });
  const list = (length: number) => Array.from({ length }, (_, i) => `arn:${i}`);

  /** The first six are recorded: see the issues named where the rules are. */
  test.each<[string, unknown, (readonly [string, string])[]]>([
    [
      'a metric widget without metrics',
      { type: 'metric', properties: {} },
      [
        ['/properties', "Should have required property 'metrics'"],
        ['/properties', NO_SOURCE],
        ['/properties', "Should have required property 'annotations'"],
      ],
    ],
    [
      'a metric that is no list',
      metric('AWS/SQS'),
      [
        ['/properties/metrics/0', 'Should be array'],
        [
          '/properties/metrics/0',
          'Field "metrics" has to be an array of array of strings, with an optional metricRenderer object as last element',
        ],
      ],
    ],
    [
      'dimensions in an object',
      metric(['AWS/SQS', 'Sent', { dimensions: { QueueName: 'Orders' } }]),
      [['/properties/metrics/0', 'Should NOT have more than 2 items']],
    ],
    [
      'a color by its name',
      metric(['AWS/SQS', 'Sent', 'QueueName', 'Orders', { color: 'red' }]),
      [['/properties/metrics/0', 'Should NOT have more than 4 items']],
    ],
    [
      'an object among the dimensions',
      metric(['AWS/SQS', 'Sent', { stat: 'Sum' }, 'Orders']),
      [['/properties/metrics/0/2', 'Invalid metric field type, only "String" type is allowed']],
    ],
    [
      'an alarm widget without alarms',
      { type: 'alarm', properties: { alarms: [] } },
      [['/properties/alarms', 'Should NOT have less than 1 items']],
    ],
    [
      'no list of alarms',
      { type: 'alarm', properties: {} },
      [['/properties', "Should have required property 'alarms'"]],
    ],
    [
      'alarms that are no list',
      { type: 'alarm', properties: { alarms: 'arn' } },
      [['/properties/alarms', 'Should be array']],
    ],
    [
      'more than 100 alarms',
      { type: 'alarm', properties: { alarms: list(101) } },
      [['/properties/alarms', 'Should NOT have more than 100 items']],
    ],
    [
      'more than 500 metrics',
      metric(...list(501).map(name => ['AWS/SQS', name])),
      [['/properties/metrics', 'Should NOT have more than 500 items']],
    ],
    ['metrics without a Region', { type: 'metric', properties: { metrics: [] } }, [['/properties', NO_SOURCE]]],
    [
      'metrics that are no list',
      { type: 'metric', properties: { region: 'us-east-1', metrics: {} } },
      [['/properties/metrics', 'Should be array']],
    ],
    [
      'a query without text',
      { type: 'log', properties: { region: 'us-east-1' } },
      [['/properties', "Should have required property 'query'"]],
    ],
    [
      'a text without text',
      { type: 'text', properties: {} },
      [['/properties', "Should have required property 'markdown'"]],
    ],
    ['properties that are none', { type: 'text', properties: [] }, [['/properties', 'Should be object']]],
    ['a widget that is none', 'text', [['', 'Should be object']]],
  ])('refuse %s', (_, widget, found) => {
    const problems = found.map(([dataPath, message]) => ({ dataPath: `/widgets/0${dataPath}`, message }));
    const DashboardBody = JSON.stringify({ widgets: [widget] });
    expect(() => new CloudWatchFixture().ask('PutDashboard', { DashboardName: 'Ops', DashboardBody })).toThrow(
      `The dashboard body is invalid, there are ${found.length} validation errors: ${JSON.stringify(problems)}`,
    );
  });

  test('refuse more than 500 widgets', () => {
    const bodyOf = (count: number) => JSON.stringify({ widgets: Array(count).fill(metric(['AWS/SQS', 'Sent'])) });
    const world = new CloudWatchFixture();
    world.ask('PutDashboard', { DashboardName: 'Full', DashboardBody: bodyOf(500) });
    expect(() => world.ask('PutDashboard', { DashboardName: 'TooFull', DashboardBody: bodyOf(501) })).toThrow(
      '[{"dataPath":"/widgets","message":"Should NOT have more than 500 items"}]',
    );
  });

  test('take what only newer types of widgets have', () => {
    const DashboardBody = JSON.stringify({ widgets: [{ type: 'chart', properties: { data: {} } }] });
    const world = new CloudWatchFixture();
    world.ask('PutDashboard', { DashboardName: 'Ops', DashboardBody });
    expect(world.ask('GetDashboard', { DashboardName: 'Ops' }).DashboardBody).toBe(DashboardBody);
  });

  test('have names of letters, digits, dashes and underscores', () => {
    // The error of a deployment on AWS, quoted in https://github.com/aws/aws-cdk/issues/2976.
    expect(() => worldWithDashboard('Ops board')).toThrow(
      expect.objectContaining({
        code: 'InvalidParameterValue',
        message:
          'The value Ops board for field DashboardName contains invalid characters. ' +
          'It can only contain alphanumerics, dash (-) and underscore (_).',
      }),
    );
  });
});

describe('tags', () => {
  const team = { Key: 'team', Value: 'rental' };

  test('come with a new alarm, are added, replaced and taken away, and go with it', () => {
    const world = worldWith({ Tags: [team] });
    const list = () => world.ask('ListTagsForResource', { ResourceARN: ALARM }).Tags;
    expect(list()).toEqual([team]);
    world.ask('PutMetricAlarm', { ...DEAD_LETTERS, Tags: [{ Key: 'ignored', Value: 'on an alarm that is there' }] });
    world.ask('TagResource', {
      ResourceARN: ALARM,
      Tags: [
        { Key: 'stage', Value: 'prod' },
        { ...team, Value: 'ops' },
      ],
    });
    expect(list()).toEqual([
      { Key: 'team', Value: 'ops' },
      { Key: 'stage', Value: 'prod' },
    ]);
    world.ask('UntagResource', { ResourceARN: ALARM, TagKeys: ['team'] });
    expect(list()).toEqual([{ Key: 'stage', Value: 'prod' }]);
    world.ask('DeleteAlarms', { AlarmNames: ['Dead-Letters'] });
    // Recorded on AWS: the tags of a deleted alarm can be listed.
    expect(list()).toEqual([]);
    expect(() => world.ask('ListTagsForResource', { ResourceARN: `${ALARM}-of-old` })).toThrow(
      expect.objectContaining({ code: 'ResourceNotFoundException', httpStatus: 404 }),
    );
    world.ask('PutMetricAlarm', DEAD_LETTERS);
    expect(list()).toEqual([]);
  });

  test('are fifty at most', () => {
    const Tags = Array.from({ length: 51 }, (_, i) => ({ Key: `k${i}`, Value: '' }));
    expect(() => worldWith().ask('TagResource', { ResourceARN: ALARM, Tags })).toThrow(
      "at 'tags' failed to satisfy constraint: Member must have length less than or equal to 50",
    );
  });
});

test('what CloudWatch does not do here is refused by name', () => {
  const { cloudWatch } = new CloudWatchFixture();
  for (const action of ['PutMetricStream', 'PutAnomalyDetector', 'PutInsightRule', 'GetMetricWidgetImage']) {
    expect(cloudWatch.implements(action)).toBe(false);
  }
});
