import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { logsResourceTypes } from '../../../local/logs/resources';
import { createResource } from '../create-resource';
import { DAY_MS, World } from './fixture';

function create(world: World, type: string, properties: Record<string, unknown>) {
  return createResource(logsResourceTypes(world.logs, EXAMPLE_PLACE), type, properties);
}

test('a log group from a template has its name, its retention and its ARN', async () => {
  const world = new World();
  expect(create(world, 'AWS::Logs::LogGroup', { RetentionInDays: 1, Tags: [] })).toEqual({
    created: {
      ref: 'Rental-Thing-1A2B3C',
      attributes: { Arn: 'arn:aws:logs:us-east-1:123456789012:log-group:Rental-Thing-1A2B3C:*' },
    },
    problems: [],
  });
  world.write('Rental-Thing-1A2B3C', 'stream', 'soon forgotten');
  await world.advance(DAY_MS + 1);
  expect(world.logs.events('Rental-Thing-1A2B3C')).toEqual([]);
});

test('a log group that asks for more than is implemented fails by property, and is not created', () => {
  const world = new World();
  expect(create(world, 'AWS::Logs::LogGroup', { DataProtectionPolicy: {} }).problems).toEqual([
    'DataProtectionPolicy is not implemented by the embedded AWS',
  ]);
  expect(world.logs.groupNames).toEqual([]);
});

describe('a metric filter', () => {
  const FILTER = {
    LogGroupName: '/rental',
    FilterPattern: '{ $.status = "FAILURE" }',
    MetricTransformations: [
      {
        MetricName: 'Failures',
        MetricNamespace: 'Rental',
        MetricValue: '$.attempts',
        Unit: 'Count',
        Dimensions: [{ Key: 'Destination', Value: '$.destination' }],
      },
    ],
  };

  test('turns the events that match into values, as they are written', () => {
    const world = new World();
    create(world, 'AWS::Logs::LogGroup', { LogGroupName: '/rental' });
    expect(create(world, 'AWS::Logs::MetricFilter', FILTER).problems).toEqual([]);
    world.write('/rental', 's', JSON.stringify({ status: 'FAILURE', attempts: 3, destination: 'billing' }));
    world.write('/rental', 's', JSON.stringify({ status: 'SUCCESS', attempts: 1, destination: 'billing' }));
    world.write('/rental', 's', JSON.stringify({ status: 'FAILURE', destination: 'no attempts' }));
    world.write('/rental', 's', JSON.stringify({ status: 'FAILURE', attempts: 1 }));
    expect(world.measured).toEqual([
      { namespace: 'Rental', name: 'Failures', dimensions: { Destination: 'billing' }, value: 3, unit: 'Count' },
    ]);
  });

  test.each([
    ['a malformed FilterPattern', { FilterPattern: '[a, b' }, 'Invalid metric filter pattern: [a, b'],
    ['two transformations', { MetricTransformations: Array(2).fill(FILTER.MetricTransformations[0]) }, 'exactly one'],
    [
      'a value that is neither a number nor a selector',
      { MetricTransformations: [{ MetricName: 'a', MetricNamespace: 'b', MetricValue: 'many' }] },
      'metricValue many is not a number',
    ],
    ['a group that is not there', { LogGroupName: '/none' }, 'The specified log group does not exist.'],
  ])('is refused for %s', (_, properties, text) => {
    const world = new World();
    create(world, 'AWS::Logs::LogGroup', { LogGroupName: '/rental' });
    expect(() => create(world, 'AWS::Logs::MetricFilter', { ...FILTER, ...properties })).toThrow(text);
  });

  test('tells its default value at the end of each minute in which events came and none matched', async () => {
    const world = new World();
    create(world, 'AWS::Logs::LogGroup', { LogGroupName: '/rental' });
    const { Dimensions: _, ...transformation } = FILTER.MetricTransformations[0] ?? {};
    const { problems } = create(world, 'AWS::Logs::MetricFilter', {
      ...FILTER,
      MetricTransformations: [{ ...transformation, DefaultValue: 0 }],
    });
    expect(problems).toEqual([]);
    const values = () => world.measured.map(({ value }) => value);
    world.write('/rental', 's', JSON.stringify({ status: 'FAILURE', attempts: 3 }));
    world.write('/rental', 's', JSON.stringify({ status: 'SUCCESS' }));
    await world.advance(60_000);
    expect(values()).toEqual([3]);
    world.write('/rental', 's', JSON.stringify({ status: 'SUCCESS' }));
    world.write('/rental', 's', JSON.stringify({ status: 'SUCCESS' }));
    await world.advance(60_000);
    expect(values()).toEqual([3, 0]);
    await world.advance(600_000);
    expect(values()).toEqual([3, 0]);
  });
});
