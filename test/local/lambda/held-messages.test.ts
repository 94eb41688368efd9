import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { noAnswer, response } from '../../../local';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Posts each message; what is not taken is hidden for an hour at most, twice as long each time, and handed back. */
const RETRIES = `
  const { SQSClient, ChangeMessageVisibilityBatchCommand } = require('@aws-sdk/client-sqs');
  const sqs = new SQSClient({});
  const isTaken = record => fetch('https://partner.example.com/', { method: 'POST', body: record.body })
    .then(response => response.ok, () => false);
  exports.handler = async event => {
    for (const { attributes, body } of event.Records) console.log('got ' + JSON.stringify({ body, ...attributes }));
    const taken = await Promise.all(event.Records.map(isTaken));
    const failed = event.Records.filter((_, i) => !taken[i]);
    if (failed.length === 0) return { batchItemFailures: [] };
    await sqs.send(new ChangeMessageVisibilityBatchCommand({
      QueueUrl: process.env.QUEUE,
      Entries: failed.map(({ receiptHandle, attributes }, i) => ({
        Id: String(i),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.min(60 * 2 ** (Number(attributes.ApproximateReceiveCount) - 1), 3600),
      })),
    }));
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };`;

interface Relay {
  readonly fifo?: boolean;
}

const relay =
  ({ fifo = false }: Relay) =>
  (stack: Stack): void => {
    const visibilityTimeout = Duration.seconds(30);
    const queue = new Queue(stack, 'Queue', {
      visibilityTimeout,
      retentionPeriod: Duration.days(14),
      ...(fifo && { fifo: true, contentBasedDeduplication: true }),
    });
    const worker = inlineFunction(stack, 'Worker', RETRIES, { environment: { QUEUE: queue.queueUrl } });
    queue.grantConsumeMessages(worker);
    new EventSourceMapping(stack, 'Mapping', {
      target: worker,
      eventSourceArn: queue.queueArn,
      batchSize: fifo ? 1 : 10,
      reportBatchItemFailures: true,
      maxConcurrency: 2,
    });
  };

async function deploy(kind: Relay = {}) {
  const deployed = await Deployed.stack(relay(kind));
  const partner = deployed.aws.endpoint('partner.example.com');
  return {
    deployed,
    partner,
    send: (MessageBody: string, MessageGroupId?: string) =>
      deployed.sqs.send(new SendMessageCommand({ QueueUrl: deployed.ref('Queue'), MessageBody, MessageGroupId })),
    attempts: () =>
      partner.requests.map(({ body, atMs }) => [Buffer.from(body).toString(), deployed.secondsAt(atMs)] as const),
    records: () =>
      deployed
        .log(`/aws/lambda/${deployed.ref('Worker')}`)
        .filter(line => line.includes('\tgot '))
        .map(line => JSON.parse(line.split('\tgot ')[1] ?? '{}')),
  };
}

describe('a message that a function hides and hands back', () => {
  test('comes when its own time is over, whatever the queue’s is, and tells how often and since when', async () => {
    const { partner, send, attempts, records, deployed } = await deploy();
    partner.behave({ reply: response(503), count: 3 });
    const begunMs = deployed.aws.nowMs;
    await send('a');
    await deployed.advance({ hours: 1 });
    expect(attempts()).toEqual([
      ['a', 0],
      ['a', 60],
      ['a', 180],
      ['a', 420],
    ]);
    const reported = { SentTimestamp: String(begunMs), ApproximateFirstReceiveTimestamp: String(begunMs) };
    expect(records()).toMatchObject(
      ['1', '2', '3', '4'].map(ApproximateReceiveCount => ({ ...reported, ApproximateReceiveCount })),
    );
  });

  test('holds up its group, and no other, until it is through', async () => {
    const { partner, send, attempts, records, deployed } = await deploy({ fifo: true });
    partner.behave({ reply: noAnswer(), count: 2 });
    await send('a1', 'a');
    await deployed.advance({ seconds: 1 });
    await send('a2', 'a');
    await send('b1', 'b');
    await deployed.advance({ hours: 1 });
    expect(partner.failedConnections.map(({ atMs }) => deployed.secondsAt(atMs))).toEqual([0, 1]);
    expect(attempts()).toEqual([
      ['a1', 60],
      ['a2', 60],
      ['b1', 61],
    ]);
    expect(records()[0]).toMatchObject({
      MessageGroupId: 'a',
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
      SequenceNumber: expect.any(String),
    });
  });
});

test('an outage of 26 hours loses none of twenty messages', async () => {
  const { partner, send, attempts, deployed } = await deploy();
  partner.behave({ forMs: 26 * 3_600_000, reply: response(503) });
  const bodies = Array.from({ length: 20 }, (_, i) => `order ${i}`);
  for (const body of bodies) await send(body);
  await deployed.advance({ hours: 30 });
  const delivered = attempts().filter(([, seconds]) => seconds >= 26 * 3600);
  expect(delivered.map(([body]) => body).sort()).toEqual([...bodies].sort());
  expect(attempts().length).toBeGreaterThan(20 * 30);
}, 60_000);
