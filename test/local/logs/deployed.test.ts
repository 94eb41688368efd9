import { gunzipSync } from 'node:zlib';
import {
  CloudWatchLogsClient,
  CreateLogStreamCommand,
  DescribeQueryDefinitionsCommand,
  FilterLogEventsCommand,
  GetQueryResultsCommand,
  MalformedQueryException,
  PutLogEventsCommand,
  ResourceAlreadyExistsException,
  StartQueryCommand,
  TagResourceCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Stack } from 'aws-cdk-lib';
import { FilterPattern, LogGroup, QueryDefinition, QueryString, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { logsResourceTypes } from '../../../local/logs/resources';
import { DAY_MS } from '../../../policy/time-units';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { createResource } from '../create-resource';
import { LogsFixture } from './fixture';

describe('resources', () => {
  function create(world: LogsFixture, type: string, properties: Record<string, unknown>) {
    return createResource(logsResourceTypes(world.logs, EXAMPLE_PLACE), type, properties);
  }

  test('a log group from a template has its name, its retention and its ARN', async () => {
    const world = new LogsFixture();
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
    const world = new LogsFixture();
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
      const world = new LogsFixture();
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
      const world = new LogsFixture();
      create(world, 'AWS::Logs::LogGroup', { LogGroupName: '/rental' });
      expect(() => create(world, 'AWS::Logs::MetricFilter', { ...FILTER, ...properties })).toThrow(text);
    });

    test('reports its default value at the end of each minute in which events arrived and none matched', async () => {
      const world = new LogsFixture();
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

  test('a log group from a template has its tags and its protection', () => {
    const world = new LogsFixture();
    create(world, 'AWS::Logs::LogGroup', {
      LogGroupName: '/rental',
      Tags: [{ Key: 'Team', Value: 'rental' }],
      DeletionProtectionEnabled: true,
    });
    expect(world.call('ListTagsLogGroup', { logGroupName: '/rental' }).tags).toEqual({ Team: 'rental' });
    expect(world.call('DescribeLogGroups', {}).logGroups).toMatchObject([{ deletionProtectionEnabled: true }]);
  });

  test('a log stream from a template is there before the first event', () => {
    const world = new LogsFixture();
    world.createGroup('/rental');
    const { created, problems } = create(world, 'AWS::Logs::LogStream', { LogGroupName: '/rental' });
    expect({ created, problems }).toEqual({ created: { ref: 'Rental-Thing-1A2B3C', attributes: {} }, problems: [] });
    expect(world.put('/rental', 'Rental-Thing-1A2B3C', [0, 'x'])).not.toHaveProperty('rejectedLogEventsInfo');
    expect(create(world, 'AWS::Logs::LogStream', {}).problems).toEqual(['LogGroupName is required']);
  });

  test('a resource policy from a template holds for the account', () => {
    const world = new LogsFixture();
    const PolicyDocument = {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'logs:PutLogEvents', Resource: '*' },
      ],
    };
    const { created } = create(world, 'AWS::Logs::ResourcePolicy', {
      PolicyName: 'events',
      PolicyDocument: JSON.stringify(PolicyDocument),
    });
    expect(created).toEqual({ ref: 'events', attributes: {} });
    expect(world.call('DescribeResourcePolicies', {}).resourcePolicies).toMatchObject([
      { policyName: 'events', policyDocument: JSON.stringify(PolicyDocument) },
    ]);
    expect(create(world, 'AWS::Logs::ResourcePolicy', { PolicyName: 'none' }).problems).toEqual([
      'PolicyDocument is required',
    ]);
  });

  test('a query definition from a template is kept, and its Ref is its id', () => {
    const world = new LogsFixture();
    const { created, problems } = create(world, 'AWS::Logs::QueryDefinition', {
      Name: 'deliveries/by cause',
      QueryString: 'stats count(*) by delivery.statusCode',
      LogGroupNames: ['/rental'],
    });
    expect(problems).toEqual([]);
    const kept = world.call('DescribeQueryDefinitions', {}).queryDefinitions;
    expect(kept).toMatchObject([{ name: 'deliveries/by cause', logGroupNames: ['/rental'] }]);
    const id = kept?.[0]?.queryDefinitionId;
    expect(created).toEqual({ ref: id, attributes: { QueryDefinitionId: id } });
    const sql = { Name: 'x', QueryString: 'SELECT 1', QueryLanguage: 'SQL' };
    expect(create(world, 'AWS::Logs::QueryDefinition', sql).problems).toEqual([
      'QueryLanguage must be CWLI: the embedded AWS implements no other query language',
    ]);
  });

  describe('a subscription filter from a template', () => {
    const FILTER = {
      FilterName: 'errors',
      LogGroupName: '/rental',
      FilterPattern: 'ERROR',
      DestinationArn: 'arn:aws:lambda:us-east-1:123456789012:function:Reader',
      Distribution: 'ByLogStream',
    };

    test('delivers to its function', async () => {
      const world = new LogsFixture();
      world.createGroup('/rental', 'one');
      const { created, problems } = create(world, 'AWS::Logs::SubscriptionFilter', FILTER);
      expect({ created, problems }).toEqual({ created: { ref: 'errors', attributes: {} }, problems: [] });
      world.put('/rental', 'one', [0, 'ERROR']);
      await world.advance(0);
      expect(world.invoked.map(({ type }) => type)).toEqual(['DryRun', 'Event']);
    });

    test('names a destination that is no function, and a role it would need', () => {
      const world = new LogsFixture();
      world.createGroup('/rental');
      const { problems } = create(world, 'AWS::Logs::SubscriptionFilter', {
        ...FILTER,
        DestinationArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/s',
      });
      expect(problems).toEqual([
        'DestinationArn is refused (NotImplemented: The embedded AWS does not implement subscription filters to arn:aws:kinesis:us-east-1:123456789012:stream/s. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.)',
      ]);
      expect(create(world, 'AWS::Logs::SubscriptionFilter', { ...FILTER, RoleArn: 'x' }).problems).toEqual([
        'RoleArn is not implemented by the embedded AWS',
      ]);
    });
  });
});

const GROUP = '/rental/deliveries';

function deliveries(stack: Stack): void {
  const logGroup = new LogGroup(stack, 'Deliveries', { logGroupName: GROUP });
  const reader = inlineFunction(
    stack,
    'Reader',
    'exports.handler = async ({ awslogs }) => { console.log("got " + awslogs.data); };',
  );
  new SubscriptionFilter(stack, 'Failures', {
    logGroup,
    destination: new LambdaDestination(reader),
    filterPattern: FilterPattern.stringValue('$.status', '=', 'FAILURE'),
    filterName: 'failures',
  });
  new QueryDefinition(stack, 'ByCause', {
    queryDefinitionName: 'deliveries/by cause',
    logGroups: [logGroup],
    queryString: new QueryString({
      fields: ['delivery.statusCode as code'],
      filterStatements: ['status = "FAILURE"'],
      statsStatements: ['count(*) as failures by code'],
      sort: 'failures desc',
      limit: 5,
    }),
  });
}

describe('CloudWatch Logs, deployed and spoken to by the SDK’s own client', () => {
  let deployed: Deployed;
  let client: CloudWatchLogsClient;

  beforeAll(async () => {
    deployed = await Deployed.stack(deliveries);
    client = new CloudWatchLogsClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
    await client.send(new CreateLogStreamCommand({ logGroupName: GROUP, logStreamName: 'sns' }));
    const timestamp = deployed.aws.nowMs;
    const records = [503, 503, 403, 200].map(statusCode => ({
      status: statusCode === 200 ? 'SUCCESS' : 'FAILURE',
      delivery: { statusCode },
    }));
    const put = new PutLogEventsCommand({
      logGroupName: GROUP,
      logStreamName: 'sns',
      logEvents: records.map(record => ({ timestamp, message: JSON.stringify(record) })),
    });
    expect((await client.send(put)).rejectedLogEventsInfo).toBeUndefined();
    await deployed.aws.runUntilIdle();
  });

  test('a subscribed function gets what matches, zipped', () => {
    const [line] = deployed.log(`/aws/lambda/${deployed.ref('Reader')}`).filter(it => it.includes('got '));
    const data = /got (\S+)/.exec(line ?? '')?.[1] ?? '';
    expect(JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString())).toMatchObject({
      messageType: 'DATA_MESSAGE',
      logGroup: GROUP,
      logStream: 'sns',
      subscriptionFilters: ['failures'],
      logEvents: [{}, {}, {}],
    });
    expect(deployed.happened('logs.delivered')).toMatchObject([{ filterName: 'failures', logEvents: 3 }]);
  });

  test('a saved query is asked, and answers', async () => {
    const { queryDefinitions = [] } = await client.send(new DescribeQueryDefinitionsCommand({}));
    const [saved] = queryDefinitions;
    const endTime = Math.ceil(deployed.aws.nowMs / 1000);
    const { queryId } = await client.send(
      new StartQueryCommand({
        logGroupNames: saved?.logGroupNames,
        queryString: saved?.queryString,
        startTime: endTime - 3600,
        endTime,
      }),
    );
    const results = () => client.send(new GetQueryResultsCommand({ queryId }));
    expect((await results()).status).toBe('Running');
    await deployed.advance({ seconds: 1 });
    expect(await results()).toMatchObject({
      status: 'Complete',
      results: [
        [
          { field: 'code', value: '503' },
          { field: 'failures', value: '2' },
        ],
        [
          { field: 'code', value: '403' },
          { field: 'failures', value: '1' },
        ],
      ],
      statistics: { recordsScanned: 4, recordsMatched: 3 },
    });
  });

  test('what AWS refuses comes as the SDK’s own errors', async () => {
    const stream = new CreateLogStreamCommand({ logGroupName: GROUP, logStreamName: 'sns' });
    await expect(client.send(stream)).rejects.toBeInstanceOf(ResourceAlreadyExistsException);
    const query = { logGroupName: GROUP, startTime: 0, endTime: 1, queryString: 'frobnicate' };
    const malformed = client.send(new StartQueryCommand(query));
    await expect(malformed).rejects.toBeInstanceOf(MalformedQueryException);
    await expect(malformed).rejects.toThrow('unknown command frobnicate');
    const filter = new FilterLogEventsCommand({ logGroupName: GROUP, filterPattern: '{ broken' });
    await expect(client.send(filter)).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: 'Invalid metric filter pattern: { broken',
    });
    const tags = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, '']));
    const resourceArn = `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}`;
    await expect(client.send(new TagResourceCommand({ resourceArn, tags }))).rejects.toMatchObject({
      name: 'TooManyTagsException',
      resourceName: GROUP,
    });
  });
});
