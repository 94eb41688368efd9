import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from '../../local';
import { median, type Ratio, type Row, timed } from './measure';
import type { OneCall } from './one-call.lambda';
import type { OneCallLoad } from './one-call.worker';
import { synthesized } from './synthesized';

const INVOCATIONS = 500;
const ROUNDS = 7;

const HANDLER = path.join(__dirname, 'one-call.lambda.js');

/** A queue, and a function that may call SQS. */
function oneCallStack(app: App): void {
  const stack = new Stack(app, 'OneCall');
  const queue = new Queue(stack, 'Queue');
  const handler = new LambdaFunction(stack, 'Function', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(`exports.handler = require(${JSON.stringify(HANDLER)}).handler;`),
  });
  queue.grantSendMessages(handler);
  new CfnOutput(stack, 'QueueName', { value: queue.queueName });
  new CfnOutput(stack, 'FunctionName', { value: handler.functionName });
}

/** Invokes the function repeatedly, one invocation after the other. */
async function invocations(aws: LocalAws, event: OneCall): Promise<void> {
  const { lambda, sqs } = aws.services;
  const request = { FunctionName: aws.output('FunctionName'), Payload: Buffer.from(JSON.stringify(event)) };
  for (let i = 0; i < INVOCATIONS; i += 1) {
    const answer = lambda.call('Invoke', sqs.owner, request);
    await aws.advance({ seconds: 0 });
    const { FunctionError } = await answer;
    if (FunctionError) throw new Error(`the function failed: ${FunctionError}`);
  }
}

/** Starts a plain Node.js server in this thread, and the SDK that calls it in another thread. */
async function bareCalls(queueName: string) {
  const answer = JSON.stringify({ QueueUrl: `https://sqs.us-east-1.amazonaws.com/123456789012/${queueName}` });
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': answer.length });
      response.end(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
  const worker = new Worker(path.join(__dirname, 'one-call.worker.js'));
  const load: OneCallLoad = { client: { endpoint, credentials, region: 'us-east-1' }, queueName, times: INVOCATIONS };
  return {
    run: async (): Promise<void> => {
      worker.postMessage(load);
      await once(worker, 'message');
    },
    close: async (): Promise<void> => {
      await worker.terminate();
      server.close();
    },
  };
}

/** Compares what an SDK call adds to an invocation with the same call to a server that does nothing. */
async function functionCalls(assembly: string): Promise<Ratio> {
  const aws = await LocalAws.deploy(assembly, { trace: { keep: 1_000 } });
  const queueName = aws.output('QueueName');
  const bare = await bareCalls(queueName);
  const rounds: [number, number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([
      await timed(() => invocations(aws, {})),
      await timed(() => invocations(aws, { queueName })),
      await timed(() => bare.run()),
    ]);
  }
  await bare.close();
  await aws.close();
  const emptyMs = median(rounds.map(([empty]) => empty));
  const each = (ms: number): string => `${(ms / INVOCATIONS).toFixed(2)} ms`;
  return {
    what: `what an SQS call of the SDK adds to ${INVOCATIONS} invocations, each ${each(emptyMs)} without one,`,
    measuredMs: median(rounds.map(([empty, called]) => called - empty)),
    against: 'the same calls of a bare node:http server',
    againstMs: median(rounds.map(([, , called]) => called)),
  };
}

export const ROWS: readonly Row[] = [() => synthesized(oneCallStack, functionCalls)];
