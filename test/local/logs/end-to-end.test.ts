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
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

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
  }, 60_000);

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
