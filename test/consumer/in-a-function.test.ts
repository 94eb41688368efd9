import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { buildSync } from 'esbuild';
import { ROOT } from '../repository/source-files';
import { Deployed } from '../support/deployed';

const folder = mkdtempSync(path.join(tmpdir(), 'dlo-consumer-'));

/** Bundles a consumer as a user would, with our released package. The SDK comes from Lambda. */
function bundle(name: string, contents: string): Code {
  const outfile = path.join(folder, name, 'index.js');
  buildSync({
    stdin: { contents, loader: 'ts', resolveDir: ROOT },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    alias: { 'dead-letter-office/consumer': path.join(ROOT, 'dist/consumer/index.js') },
    external: ['@aws-sdk/*'],
  });
  return Code.fromAsset(path.dirname(outfile));
}

const TEN_MINUTES = 'new Promise<void>(resolve => setTimeout(resolve, 600_000))';

/** The worker of the guide, which works for ten minutes. */
const GUIDE = `
import { takeOne } from './docs/examples/long-work/worker';
export const handler = () => takeOne(process.env.QUEUE_URL ?? '', () => ${TEN_MINUTES});
`;

/** The same worker without a heartbeat. */
const PLAIN = `
import { SQS } from '@aws-sdk/client-sqs';
const sqs = new SQS();
export const handler = async () => {
  const QueueUrl = process.env.QUEUE_URL;
  const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, VisibilityTimeout: 60 });
  await ${TEN_MINUTES};
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle });
};
`;

/** Processes a batch, with a heartbeat for each message until it is done. */
const BATCH = `
import { SQS } from '@aws-sdk/client-sqs';
import { withHeartbeat } from 'dead-letter-office/consumer';
const client = new SQS();
const queueUrl = process.env.QUEUE_URL ?? '';
export const handler = ({ Records }: { Records: { receiptHandle: string }[] }) =>
  Promise.all(Records.map(({ receiptHandle }) =>
    withHeartbeat({ client, queueUrl, receiptHandle, visibilitySeconds: 60 }, () => ${TEN_MINUTES})));
`;
const PLAIN_BATCH = `export const handler = () => ${TEN_MINUTES};`;

function consumer(stack: Stack, id: string, contents: string): { queue: Queue; handler: LambdaFunction } {
  const queue = new Queue(stack, `${id}Queue`, { visibilityTimeout: Duration.hours(2) });
  const handler = new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: bundle(id, contents),
    timeout: Duration.minutes(15),
    environment: { QUEUE_URL: queue.queueUrl },
  });
  queue.grantConsumeMessages(handler);
  return { queue, handler };
}

describe('A function that works ten minutes on a message hidden for one', () => {
  let deployed: Deployed;
  let lambda: LambdaClient;

  beforeAll(async () => {
    deployed = await Deployed.stack(stack => {
      consumer(stack, 'Guide', GUIDE);
      consumer(stack, 'Throttled', GUIDE);
      consumer(stack, 'Plain', PLAIN);
      for (const [id, contents] of Object.entries({ Batch: BATCH, PlainBatch: PLAIN_BATCH })) {
        const { queue, handler } = consumer(stack, id, contents);
        handler.addEventSource(new SqsEventSource(queue, { batchSize: 3 }));
      }
    });
    lambda = new LambdaClient(deployed.aws.clientConfig());
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const happenedTo = (type: 'sqs.received' | 'sqs.deleted', queue: string) =>
    deployed.happened(type).filter(({ queueArn }) => queueArn === deployed.arn(queue));

  /** Sends a message, invokes its consumer, and polls for the message every half minute until it is gone. */
  const work = async (id: string) => {
    await deployed.send(`${id}Queue`, 'a long order');
    await lambda.send(new InvokeCommand({ FunctionName: deployed.ref(id), InvocationType: 'Event' }));
    const others = [];
    for (let polls = 0; polls < 22; polls += 1) {
      await deployed.advance({ seconds: 30 });
      others.push(...(await deployed.receive(`${id}Queue`)));
    }
    expect(deployed.happened('lambda.finished').filter(({ outcome }) => outcome === 'error')).toEqual([]);
    return {
      others,
      received: happenedTo('sqs.received', `${id}Queue`),
      deleted: happenedTo('sqs.deleted', `${id}Queue`),
    };
  };

  test('loses it to another consumer without a heartbeat, and both do the work', async () => {
    expect((await work('Plain')).others).not.toEqual([]);
  });

  test('keeps it with the one of the guide, which ends when the work does', async () => {
    const { others, received, deleted } = await work('Guide');
    expect(others).toEqual([]);
    expect([received.length, deleted.length]).toEqual([1, 1]);
    const extended = deployed.happened('sqs.visibility-changed');
    expect(extended.map(({ visibilityTimeoutSeconds }) => visibilityTimeoutSeconds)).toEqual(
      Array(extended.length).fill(60),
    );
    // One extension each half minute for ten minutes. The last one may come before or after the end of the work.
    expect([19, 20]).toContain(extended.length);
  });

  test('keeps it where SQS throttles for longer than the SDK tries again by itself', async () => {
    const { faults, nowMs } = deployed.aws;
    faults.set({
      service: 'sqs',
      action: 'ChangeMessageVisibility',
      throttle: true,
      fromMs: nowMs + 25_000,
      untilMs: nowMs + 50_000,
    });
    const { others, deleted } = await work('Throttled');
    expect(deployed.happened('sqs.refused').map(({ action }) => action)).toContain('ChangeMessageVisibility');
    expect(others).toEqual([]);
    expect(deleted).toHaveLength(1);
  });

  test.each([
    ['Batch', 'are kept with a heartbeat each', [1, 1, 1]],
    ['PlainBatch', 'are received again without', [1, 1, 1, 2, 2, 2]],
  ])('behind a mapping, with a visibility somebody made shorter: those of a %s %s', async (id, _what, receives) => {
    const QueueUrl = deployed.ref(`${id}Queue`);
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '60' } }));
    const Entries = ['one', 'two', 'three'].map(body => ({ Id: body, MessageBody: body }));
    await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    await deployed.advance({ seconds: 100 });
    expect(happenedTo('sqs.received', `${id}Queue`).map(({ receiveCount }) => receiveCount)).toEqual(receives);
  });
});

test('The guide shows the worker that runs here', () => {
  const guide = readFileSync(path.join(ROOT, 'docs/consumer.md'), 'utf8');
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(shown).toBe(readFileSync(path.join(ROOT, 'docs/examples/long-work/worker.ts'), 'utf8'));
});
