import { DEAD_LETTERS, START_MS, World, worldWith } from './fixture';

const BODY = '{"widgets":[{"type":"metric","properties":{}}]}';
const DASHBOARD = 'arn:aws:cloudwatch::123456789012:dashboard/Ops';
const ALARM = 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters';

describe('dashboards', () => {
  const worldWithDashboard = (DashboardName = 'Ops'): World => {
    const world = new World();
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
    expect(() => new World().ask('PutDashboard', { DashboardName: 'Ops', DashboardBody })).toThrow(
      expect.objectContaining({ code: 'InvalidParameterInput', message }),
    );
  });

  test('have names of letters, digits, dashes and underscores', () => {
    expect(() => worldWithDashboard('Ops board')).toThrow(
      'It can only contain alphanumerics, dash (-) and underscore (_).',
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
    expect(list).toThrow(expect.objectContaining({ code: 'ResourceNotFoundException', httpStatus: 404 }));
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
  const { cloudWatch } = new World();
  for (const action of ['PutMetricStream', 'PutAnomalyDetector', 'PutInsightRule', 'GetMetricWidgetImage']) {
    expect(cloudWatch.implements(action)).toBe(false);
  }
});
