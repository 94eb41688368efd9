import {
  CreateEventSourceMappingCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  GetProvisionedConcurrencyConfigCommand,
  InvokeCommand,
  LambdaClient,
  ListProvisionedConcurrencyConfigsCommand,
  ListTagsCommand,
  ResourceNotFoundException,
  TooManyRequestsException,
  UntagResourceCommand,
} from '@aws-sdk/client-lambda';
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { AwsError } from '../../../local/kernel/aws-error';
import { LAMBDA_MODEL, SCHEDULER_MODEL } from '../../../local/wire';
import { ServiceOnTheWire } from './service-on-the-wire';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:billing';

function lambdaAnswering(answer: (action: string) => unknown) {
  const wire = new ServiceOnTheWire(LAMBDA_MODEL, ({ action }) => answer(action));
  return { wire, client: new LambdaClient(wire.clientConfig) };
}

describe('REST with JSON, spoken by Lambda’s client', () => {
  it('takes a function’s name from the path, its payload from the body, and how to call it from headers and query', async () => {
    const { wire, client } = lambdaAnswering(() => ({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      LogResult: 'bG9n',
      ExecutedVersion: '$LATEST',
      Payload: Buffer.from('{"errorMessage":"ü"}'),
    }));
    const answer = await client.send(
      new InvokeCommand({
        FunctionName: ARN,
        Qualifier: 'live',
        InvocationType: 'RequestResponse',
        LogType: 'Tail',
        Payload: Buffer.from('{"order":7}'),
      }),
    );
    expect(wire.calls).toEqual([
      {
        action: 'Invoke',
        caller: expect.anything(),
        input: {
          FunctionName: ARN,
          Qualifier: 'live',
          InvocationType: 'RequestResponse',
          LogType: 'Tail',
          Payload: Buffer.from('{"order":7}'),
        },
      },
    ]);
    expect(answer).toMatchObject({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      LogResult: 'bG9n',
      ExecutedVersion: '$LATEST',
    });
    expect(Buffer.from(answer.Payload ?? []).toString()).toBe('{"errorMessage":"ü"}');
  });

  it('answers with the status a result carries', async () => {
    const { client } = lambdaAnswering(() => ({ StatusCode: 202 }));
    const { $metadata, StatusCode, Payload } = await client.send(
      new InvokeCommand({ FunctionName: 'billing', InvocationType: 'Event' }),
    );
    expect([$metadata.httpStatusCode, StatusCode, Payload?.length]).toEqual([202, 202, undefined]);
  });

  it('answers with no body where the operation has none', async () => {
    const { wire, client } = lambdaAnswering(() => ({ StatusCode: 204 }));
    const { $metadata } = await client.send(new DeleteFunctionCommand({ FunctionName: 'billing' }));
    expect($metadata.httpStatusCode).toBe(204);
    const { text } = await wire.raw({ method: 'DELETE', path: '/2015-03-31/functions/billing' });
    expect(text).toBe('');
  });

  it('reads and writes documents with instants, numbers and lists', async () => {
    const LastModified = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
    const { wire, client } = lambdaAnswering(() => ({ UUID: 'u', LastModified, BatchSize: 7, State: 'Enabled' }));
    const input = {
      FunctionName: 'billing',
      BatchSize: 7,
      Enabled: true,
      StartingPositionTimestamp: LastModified,
      FunctionResponseTypes: ['ReportBatchItemFailures' as const],
      FilterCriteria: { Filters: [{ Pattern: '{"body":["x"]}' }] },
    };
    const answer = await client.send(new CreateEventSourceMappingCommand(input));
    expect(wire.calls[0]).toMatchObject({ action: 'CreateEventSourceMapping', input });
    expect(answer).toMatchObject({ UUID: 'u', LastModified, BatchSize: 7, $metadata: { httpStatusCode: 202 } });
  });

  it('tells operations at one path apart by method and query', async () => {
    const { wire, client } = lambdaAnswering(() => ({}));
    const FunctionName = 'billing';
    await client.send(new ListProvisionedConcurrencyConfigsCommand({ FunctionName, MaxItems: 3 }));
    await client.send(new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: 'live' }));
    await client.send(new ListTagsCommand({ Resource: ARN }));
    await client.send(new UntagResourceCommand({ Resource: ARN, TagKeys: ['a', 'b c'] }));
    expect(wire.calls.map(({ action, input }) => [action, input])).toEqual([
      ['ListProvisionedConcurrencyConfigs', { FunctionName, MaxItems: 3 }],
      ['GetProvisionedConcurrencyConfig', { FunctionName, Qualifier: 'live' }],
      ['ListTags', { Resource: ARN }],
      ['UntagResource', { Resource: ARN, TagKeys: ['a', 'b c'] }],
    ]);
  });

  it('names an error in its header, with Lambda’s own members in the body', async () => {
    const { wire, client } = lambdaAnswering(action => {
      if (action === 'GetFunction') throw new AwsError('ResourceNotFoundException', `Function not found: ${ARN}`, 404);
      throw new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429);
    });
    const missing = client.send(new GetFunctionCommand({ FunctionName: 'billing' }));
    await expect(missing).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(missing).rejects.toMatchObject({
      message: `Function not found: ${ARN}`,
      Type: 'User',
      $metadata: { httpStatusCode: 404 },
    });
    await expect(client.send(new InvokeCommand({ FunctionName: 'billing' }))).rejects.toBeInstanceOf(
      TooManyRequestsException,
    );
    const { headers, text } = await wire.raw({ method: 'GET', path: '/2015-03-31/functions/billing' });
    expect(headers.get('x-amzn-errortype')).toBe('ResourceNotFoundException');
    expect(text).toBe(`{"Type":"User","Message":"Function not found: ${ARN}"}`);
  });

  it.each([
    ['a path that is none', { method: 'GET', path: '/2015-03-31/fictions' }, 404, 'UnknownOperationException'],
    ['a method the path has not', { method: 'PATCH', path: '/2015-03-31/functions' }, 404, 'UnknownOperationException'],
    ['a label in no UTF-8', { method: 'GET', path: '/2015-03-31/functions/%ff' }, 400, 'SerializationException'],
    [
      'a word for a number',
      { method: 'GET', path: '/2015-03-31/functions?MaxItems=many' },
      400,
      'SerializationException',
    ],
    ['a broken body', { path: '/2015-03-31/functions', body: Buffer.from('{"a"') }, 400, 'SerializationException'],
  ])('refuses %s', async (_, request, status, code) => {
    const { wire } = lambdaAnswering(() => ({}));
    const answer = await wire.raw(request);
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([status, code]);
    expect(wire.calls).toEqual([]);
  });

  it('takes a slash at the end of a path for none, as AWS does', async () => {
    const { wire } = lambdaAnswering(() => ({ Functions: [] }));
    expect((await wire.raw({ method: 'GET', path: '/2015-03-31/functions/' })).text).toBe('{"Functions":[]}');
  });
});

it('REST with JSON, spoken by Scheduler’s client creates, reads and lists schedules', async () => {
  const CreationDate = new Date(Date.UTC(2026, 0, 1));
  const answers: Readonly<Record<string, unknown>> = {
    CreateSchedule: { ScheduleArn: 'arn' },
    GetSchedule: {
      Name: 'hourly',
      CreationDate,
      Target: { Arn: 'a', RoleArn: 'r', RetryPolicy: { MaximumRetryAttempts: 0 } },
    },
    ListSchedules: { Schedules: [{ Name: 'hourly', CreationDate }], NextToken: 't' },
  };
  const wire = new ServiceOnTheWire(SCHEDULER_MODEL, ({ action }) => answers[action]);
  const client = new SchedulerClient(wire.clientConfig);
  const schedule = {
    Name: 'hourly',
    GroupName: 'default',
    ScheduleExpression: 'rate(1 hour)',
    StartDate: CreationDate,
    FlexibleTimeWindow: { Mode: 'OFF' as const },
    Target: { Arn: 'arn:aws:sqs:us-east-1:123456789012:q', RoleArn: 'arn:aws:iam::123456789012:role/r', Input: '{}' },
  };
  expect(await client.send(new CreateScheduleCommand(schedule))).toMatchObject({ ScheduleArn: 'arn' });
  expect(wire.calls[0]).toMatchObject({ action: 'CreateSchedule', input: schedule });
  const read = await client.send(new GetScheduleCommand({ Name: 'hourly', GroupName: 'other' }));
  expect(wire.calls[1]?.input).toEqual({ Name: 'hourly', GroupName: 'other' });
  expect(read).toMatchObject({ Name: 'hourly', CreationDate, Target: { RetryPolicy: { MaximumRetryAttempts: 0 } } });
  const listed = await client.send(new ListSchedulesCommand({ MaxResults: 1, GroupName: 'g', State: 'ENABLED' }));
  expect(wire.calls[2]?.input).toEqual({ MaxResults: 1, GroupName: 'g', State: 'ENABLED' });
  expect(listed).toMatchObject({ Schedules: [{ Name: 'hourly', CreationDate }], NextToken: 't' });
});
