import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from '../../local';
import { cpuTimed, type Ratio, type Row, sideBySide } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 9;

const CODE = `
  const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
  const sqs = new SQSClient({});
  exports.handler = async ({ Records }) => {
    const QueueUrl = process.env.NEXT;
    if (QueueUrl) for (const { body: MessageBody } of Records) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };`;

/** Two functions, each with a queue; the first sends on to the second. */
function twoFunctions(app: App): void {
  const stack = new Stack(app, 'Test');
  const [first, second] = [new Queue(stack, 'First', { queueName: 'first' }), new Queue(stack, 'Second')];
  for (const queue of [first, second]) {
    const worker = new LambdaFunction(stack, `Of${queue.node.id}`, {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromInline(CODE),
      environment: queue === first ? { NEXT: second.queueUrl } : {},
    });
    worker.addEventSource(new SqsEventSource(queue));
    second.grantSendMessages(worker);
  }
}

/** A whole test: synthesis, deployment, a message through both functions. */
const wholeTest = (): Promise<void> =>
  synthesized(twoFunctions, async assembly => {
    const aws = await LocalAws.deploy(assembly);
    const { sqs } = aws.services;
    const QueueUrl = `https://sqs.us-east-1.amazonaws.com/${aws.place.account}/first`;
    sqs.call('SendMessage', sqs.owner, { QueueUrl, MessageBody: '1' });
    await aws.advance({ seconds: 30 });
    const outcomes = aws.trace.events.filter(({ type }) => type === 'lambda.finished');
    if (outcomes.length !== 2) throw new Error(`${outcomes.length} functions ran, expected 2`);
    await aws.close();
  });

const SDK = createRequire(path.join(process.cwd(), 'package.json')).resolve('@aws-sdk/client-sqs');

/** What two cold starts cost at least. */
async function twoThreads(): Promise<void> {
  for (let i = 0; i < 2; i += 1) {
    await once(new Worker(`require(${JSON.stringify(SDK)})`, { eval: true, env: {}, execArgv: [] }), 'exit');
  }
}

/** The second and each later test of a file. The first also loads the CDK and the embedded AWS. */
async function laterTest(): Promise<Ratio> {
  await wholeTest();
  const [measuredMs, againstMs] = await sideBySide(ROUNDS, wholeTest, twoThreads, cpuTimed);
  return {
    what: 'CPU of a later test of two functions: synthesis, deployment, two cold starts, two invocations',
    measuredMs,
    against: "two threads that load the SDK's client",
    againstMs,
  };
}

export const ROWS: readonly Row[] = [laterTest];
