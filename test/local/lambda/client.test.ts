import { InvokeCommand, LambdaClient, ListAliasesCommand } from '@aws-sdk/client-lambda';
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
});
