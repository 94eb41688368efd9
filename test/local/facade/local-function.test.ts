import { readFile } from 'node:fs/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionHandler } from '../../../local';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const OWN = 'exports.handler = async () => "own code";';

function stackOfFunctions(stack: Stack): void {
  const failures = new Queue(stack, 'Failures');
  const output = new Queue(stack, 'Output');
  const input = new Queue(stack, 'Input', { visibilityTimeout: Duration.seconds(30) });
  const worker = inlineFunction(stack, 'Worker', OWN, {
    timeout: Duration.seconds(5),
    environment: { OUTPUT: output.queueUrl },
    onFailure: new SqsDestination(failures),
    retryAttempts: 1,
  });
  worker.addEventSource(new SqsEventSource(input, { reportBatchItemFailures: true }));
  output.grantSendMessages(worker);
}

describe('a function that a test handles', () => {
  let deployed: Deployed;
  let lambda: LambdaClient;

  beforeEach(async () => {
    deployed = await Deployed.stack(stackOfFunctions, { lambda: { watchdogMs: 200 } });
    lambda = new LambdaClient(deployed.aws.clientConfig());
  });

  const worker = () => deployed.aws.function('Test/Worker');
  const invoke = async (InvocationType: 'Event' | 'RequestResponse' = 'RequestResponse') => {
    const answer = lambda.send(new InvokeCommand({ FunctionName: worker().name, InvocationType, Payload: '{"n":1}' }));
    await deployed.aws.runUntilIdle();
    const { Payload, FunctionError } = await answer;
    return { payload: Payload && Buffer.from(Payload).toString(), FunctionError };
  };

  test('runs the handler in place of its code, until it is restored', async () => {
    expect((await invoke()).payload).toBe('"own code"');
    worker().handle((event, { functionName, environment }) => ({ event, functionName, ...environment }));
    const { functionName } = JSON.parse((await invoke()).payload ?? '');
    expect(functionName).toBe(worker().name);
    worker().restore();
    expect((await invoke()).payload).toBe('"own code"');
    const begun = deployed.happened('lambda.invoked').map(({ environment, coldStart }) => [environment, coldStart]);
    expect(begun).toEqual([
      [1, true],
      [2, true],
      [1, false],
    ]);
  });

  test.each<[string, FunctionHandler, string]>([
    ['throws', () => Promise.reject(new TypeError('no')), '{"errorType":"TypeError","errorMessage":"no"}'],
    ['throws a text', () => Promise.reject('no'), '{"errorType":"string","errorMessage":"no","trace":[]}'],
    ['sleeps too long', (_, { sleep }) => sleep(60_000), 'Task timed out after 5.00 seconds'],
    ['never ends', () => new Promise(() => {}), 'Task timed out after 5.00 seconds'],
    ['returns what JSON cannot hold', () => 1n, 'BigInt'],
  ])('fails like a function when it %s', async (_, handler, payload) => {
    worker().handle(handler);
    const answer = await invoke();
    expect(answer.FunctionError).toBe('Unhandled');
    expect(answer.payload).toContain(payload);
  });

  test('is retried, and its last failure goes to the destination', async () => {
    worker().handle(() => {
      throw new Error('down');
    });
    await invoke('Event');
    expect(deployed.happened('lambda.invoked').map(({ attempt }) => attempt)).toEqual([1, 2]);
    const [record] = await deployed.take('Failures');
    expect(JSON.parse(record ?? '')).toMatchObject({ responsePayload: { errorMessage: 'down' } });
  });

  test('gets batches, reports item failures, and calls AWS with the role of the function', async () => {
    worker().handle<{ Records: { messageId: string; body: string }[] }>(async ({ Records }, context) => {
      const sqs = new SQSClient(context.clientConfig());
      for (const { body } of Records) {
        await sqs.send(new SendMessageCommand({ QueueUrl: context.environment['OUTPUT'], MessageBody: body }));
      }
      const refused = sqs.send(new ReceiveMessageCommand({ QueueUrl: context.environment['OUTPUT'] }));
      await expect(refused).rejects.toMatchObject({ name: 'AccessDenied' });
      return {
        batchItemFailures: Records.filter(({ body }) => body === 'bad').map(it => ({ itemIdentifier: it.messageId })),
      };
    });
    await deployed.send('Input', 'good');
    await deployed.send('Input', 'bad');
    await deployed.advance({ seconds: 10 });
    const finished = deployed.happened('lambda.batch-finished');
    expect(finished.map(({ deleted, failedMessageIds }) => [deleted, failedMessageIds.length])).toEqual([[1, 1]]);
    expect([...(await deployed.take('Output'))].sort()).toEqual(['bad', 'good']);
  });

  test('may wait for an answer that takes virtual time, and for the real world', async () => {
    worker().handle(async (_, { sleep, getRemainingTimeInMillis }) => {
      const sqs = deployed.aws.clientConfig();
      const QueueUrl = deployed.ref('Output');
      await new SQSClient(sqs).send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }));
      await readFile(__filename);
      await sleep(500);
      return getRemainingTimeInMillis();
    });
    expect((await invoke()).payload).toBe('2500');
    expect(deployed.happened('lambda.finished')).toMatchObject([{ durationMs: 2_500 }]);
  });

  test('can be interrupted', async () => {
    deployed.aws.interruptions.set({ functionName: worker().name, how: 'exit', afterMs: 1_000 });
    worker().handle((_, { sleep }) => sleep(2_000));
    expect((await invoke()).payload).toContain('Runtime exited with error: exit status 1');
    expect((await invoke()).payload).toBe('null');
  });

  test('is found by name, ARN, logical id or path; otherwise the error lists what exists', () => {
    const { name, arn } = worker();
    const [logicalId = ''] = name.replace('Test-', '').split('-');
    for (const id of [name, arn, logicalId, `Test/${logicalId}`]) expect(deployed.aws.function(id).arn).toBe(arn);
    expect(() => deployed.aws.function('Wroker')).toThrow(`there is no function "Wroker"; the nearest: Test/Worker`);
    expect(() => worker().handle('text' as unknown as FunctionHandler)).toThrow('handler must be a function, got text');
  });
});
