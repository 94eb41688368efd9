import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  GetPolicyCommand,
  InvokeCommand,
  LambdaClient,
  ListAliasesCommand,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
  ListTagsCommand,
  PublishLayerVersionCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  ResourceNotFoundException,
  TagResourceCommand,
  TooManyRequestsException,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { Alias } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const GREETER = `exports.handler = async (event, context) => {
  console.log('greeting', event.name);
  if (event.fail) throw new RangeError('no greeting for ' + event.name);
  return { greeting: process.env.GREETING + ' ' + event.name, version: context.functionVersion, client: context.clientContext };
};`;

describe("AWS's own Lambda client", () => {
  let deployed: Deployed;
  let lambda: LambdaClient;
  beforeAll(async () => {
    deployed = await Deployed.stack(stack => {
      const greeter = inlineFunction(stack, 'Greeter', GREETER, { environment: { GREETING: 'hello' } });
      const live = new Alias(stack, 'Live', { aliasName: 'live', version: greeter.currentVersion });
      new Topic(stack, 'Topic').addSubscription(new LambdaSubscription(live));
      const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(30) });
      const worker = inlineFunction(stack, 'Worker', 'exports.handler = async () => {};');
      worker.addEventSource(
        new SqsEventSource(queue, { batchSize: 5, maxConcurrency: 2, reportBatchItemFailures: true }),
      );
      const other = new Queue(stack, 'Other', { visibilityTimeout: Duration.seconds(30) });
      other.grantConsumeMessages(worker);
    });
    lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  const greeter = () => deployed.ref('Greeter');

  async function invoke(input: Partial<ConstructorParameters<typeof InvokeCommand>[0]>, event: object) {
    const Payload = Buffer.from(JSON.stringify(event));
    const answer = lambda.send(new InvokeCommand({ FunctionName: greeter(), Payload, ...input }));
    await deployed.aws.runUntilIdle();
    const { Payload: payload, ...rest } = await answer;
    return { ...rest, value: JSON.parse(Buffer.from(payload ?? []).toString() || 'null') };
  }

  test('invokes, and gets the answer, the version and the end of the log', async () => {
    const client = Buffer.from(JSON.stringify({ custom: { shop: 'Oslo' } })).toString('base64');
    const answer = await invoke({ LogType: 'Tail', ClientContext: client }, { name: 'Ada' });
    expect(answer).toMatchObject({
      StatusCode: 200,
      ExecutedVersion: '$LATEST',
      value: { greeting: 'hello Ada', version: '$LATEST', client: { custom: { shop: 'Oslo' } } },
    });
    const { requestId } = answer.$metadata;
    const [invoked] = deployed.happened('lambda.invoked');
    expect(invoked?.requestId).toBe(requestId);
    expect(
      Buffer.from(answer.LogResult ?? '', 'base64')
        .toString()
        .split('\n'),
    ).toEqual([
      `START RequestId: ${requestId} Version: $LATEST`,
      `2026-01-01T00:00:00.000Z\t${requestId}\tINFO\tgreeting Ada`,
      `END RequestId: ${requestId}`,
      expect.stringMatching(`^REPORT RequestId: ${requestId}\tDuration: `),
      '',
    ]);
  });

  test("receives a function's error as a function error", async () => {
    const answer = await invoke({}, { name: 'nobody', fail: true });
    expect(answer).toMatchObject({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      value: { errorType: 'RangeError', errorMessage: 'no greeting for nobody' },
    });
    expect(answer.LogResult).toBeUndefined();
  });

  test('invokes the alias that CDK made of the current version', async () => {
    const answer = await invoke({ FunctionName: deployed.ref('Live') }, { name: 'Ada' });
    expect(answer).toMatchObject({ ExecutedVersion: '1', value: { version: '1' } });
    expect(await invoke({ Qualifier: 'live', InvocationType: 'DryRun' }, {})).toMatchObject({ StatusCode: 204 });
    expect(await invoke({ Qualifier: 'live', InvocationType: 'Event' }, {})).toMatchObject({ StatusCode: 202 });
    const { Aliases } = await lambda.send(new ListAliasesCommand({ FunctionName: greeter() }));
    expect(Aliases).toMatchObject([{ Name: 'live', FunctionVersion: '1', AliasArn: deployed.ref('Live') }]);
  });

  test('is one way to an alias, and a topic is another', async () => {
    await deployed.publish('Topic', 'hello');
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('lambda.invoked').at(-1)).toMatchObject({
      functionArn: deployed.arn('Greeter'),
      trigger: 'Event',
      qualifier: 'live',
      version: '1',
    });
    expect(deployed.happened('lambda.refused')).toEqual([]);
  });

  test('is refused with the errors of its model', async () => {
    const missing = await lambda
      .send(new GetFunctionCommand({ FunctionName: 'nobody' }))
      .catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(ResourceNotFoundException);
    expect(missing).toMatchObject({
      name: 'ResourceNotFoundException',
      Type: 'User',
      message: 'Function not found: arn:aws:lambda:us-east-1:123456789012:function:nobody',
      $metadata: { httpStatusCode: 404 },
    });
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: greeter(), ReservedConcurrentExecutions: 0 }));
    const throttled = await invoke({}, { name: 'Ada' }).catch((error: unknown) => error);
    expect(throttled).toBeInstanceOf(TooManyRequestsException);
    expect(throttled).toMatchObject({
      Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
      Type: 'User',
      message: 'Rate Exceeded.',
      $metadata: { httpStatusCode: 429 },
    });
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: greeter() }));
    const layer = new PublishLayerVersionCommand({ LayerName: 'l', Content: { ZipFile: Buffer.from('PK') } });
    await expect(lambda.send(layer)).rejects.toMatchObject({
      message: expect.stringContaining('lambda:PublishLayerVersion'),
      $metadata: { httpStatusCode: 501 },
    });
    await expect(invoke({ Payload: Buffer.from('{"half') }, {})).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
      message: expect.stringMatching(/^Could not parse request body into json: /),
    });
  });

  test('reads and changes functions', async () => {
    const configured = await lambda.send(
      new UpdateFunctionConfigurationCommand({
        FunctionName: greeter(),
        Environment: { Variables: { GREETING: 'good evening' } },
      }),
    );
    expect(configured.Environment?.Variables).toEqual({ GREETING: 'good evening' });
    expect((await invoke({}, { name: 'Ada' })).value).toMatchObject({ greeting: 'good evening Ada' });
    const published = await lambda.send(new PublishVersionCommand({ FunctionName: greeter() }));
    expect(published.Version).toBe('2');
    const alias = new CreateAliasCommand({
      FunctionName: greeter(),
      Name: 'next',
      FunctionVersion: '1',
      RoutingConfig: { AdditionalVersionWeights: { '2': 0.5 } },
    });
    expect(await lambda.send(alias)).toMatchObject({ RoutingConfig: { AdditionalVersionWeights: { '2': 0.5 } } });
    const got = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: greeter(), Qualifier: '2' }));
    expect(got).toMatchObject({ Version: '2', FunctionArn: `${deployed.arn('Greeter')}:2` });
    const { Functions } = await lambda.send(new ListFunctionsCommand({}));
    expect(Functions?.map(({ FunctionName }) => FunctionName)).toEqual([greeter(), deployed.ref('Worker')]);
    const Resource = deployed.arn('Greeter');
    await lambda.send(new TagResourceCommand({ Resource, Tags: { team: 'rentals' } }));
    expect((await lambda.send(new ListTagsCommand({ Resource }))).Tags).toEqual({ team: 'rentals' });
    const permission = { StatementId: 's', Action: 'lambda:InvokeFunction', Principal: 'sns.amazonaws.com' };
    await lambda.send(new AddPermissionCommand({ FunctionName: greeter(), ...permission }));
    const { Policy = '' } = await lambda.send(new GetPolicyCommand({ FunctionName: greeter() }));
    expect(JSON.parse(Policy)).toMatchObject({ Statement: [{ Sid: 's', Resource }] });
    const limits = new PutFunctionEventInvokeConfigCommand({ FunctionName: greeter(), MaximumRetryAttempts: 1 });
    expect(await lambda.send(limits)).toMatchObject({
      LastModified: new Date(deployed.aws.nowMs),
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnSuccess: {}, OnFailure: {} },
    });
  });

  test('reads and changes mappings', async () => {
    const { EventSourceMappings: [mapped] = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    expect(mapped).toMatchObject({
      State: 'Enabled',
      BatchSize: 5,
      ScalingConfig: { MaximumConcurrency: 2 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      LastModified: new Date('2026-01-01T00:00:00Z'),
    });
    const update = new UpdateEventSourceMappingCommand({ UUID: mapped?.UUID, Enabled: false });
    expect(await lambda.send(update)).toMatchObject({ State: 'Disabling', $metadata: { httpStatusCode: 202 } });
    await deployed.aws.runUntilIdle();
    const get = new GetEventSourceMappingCommand({ UUID: mapped?.UUID });
    expect(await lambda.send(get)).toMatchObject({ State: 'Disabled' });
    const create = new CreateEventSourceMappingCommand({
      FunctionName: deployed.ref('Worker'),
      EventSourceArn: deployed.arn('Other'),
      FilterCriteria: { Filters: [{ Pattern: '{"body":["yes"]}' }] },
    });
    const { UUID } = await lambda.send(create);
    await deployed.aws.runUntilIdle();
    await deployed.send('Other', 'yes');
    await deployed.send('Other', 'no');
    await deployed.aws.runUntilIdle();
    const received = deployed.happened('lambda.batch-received').filter(({ mappingId }) => mappingId === UUID);
    expect(received.map(({ messageIds }) => messageIds.length)).toEqual([1]);
    expect(await deployed.receive('Other')).toEqual([]);
  });
});
