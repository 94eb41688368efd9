import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { LocalAws } from '../../local';
import { type Figure, heapBytes, type Ratio, type Row, sideBySide, threadTimed } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 3;
const DELIVERIES = 100_000;
const SUBSCRIBERS = 10;

/** The size of the trace that a long simulation keeps. */
const TRACE = { keep: 1_000 };

/** A topic with as many queues as given, enveloped or raw. */
function fanOut(queues: number, rawMessageDelivery: boolean): (app: App) => void {
  return app => {
    const stack = new Stack(app, 'FanOut');
    const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
    for (let i = 1; i <= queues; i += 1) {
      const queue = new Queue(stack, `Queue${i}`);
      topic.deliverToQueue(`Queue${i}`, queue, { rawMessageDelivery });
      new CfnOutput(stack, `Url${i}`, { value: queue.queueUrl });
    }
    new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  };
}

/** Publishes, and lets the deliveries happen, `DELIVERIES` times in all. */
async function deliver(assembly: string, queues: number): Promise<void> {
  const aws = await LocalAws.deploy(assembly, { trace: TRACE });
  const { sns, sqs } = aws.services;
  const TopicArn = aws.output('TopicArn');
  for (let published = 0; published < DELIVERIES / queues; published += 1) {
    sns.call('Publish', sns.owner, { TopicArn, Message: `order ${published}` });
    if (published % 1_000 === 0) await aws.advance({ seconds: 0 });
  }
  await aws.advance({ seconds: 1 });
  const { Attributes } = sqs.call('GetQueueAttributes', sqs.owner, {
    QueueUrl: aws.output('Url1'),
    AttributeNames: ['ApproximateNumberOfMessages'],
  });
  const arrived = Number(Attributes?.ApproximateNumberOfMessages);
  if (arrived !== DELIVERIES / queues) throw new Error(`expected ${DELIVERIES / queues} messages, saw ${arrived}`);
  await aws.close();
}

/** Does the minimum work of a delivery: builds the text of the envelope and stores it under an id. */
function bareDeliveries(): void {
  const queue = new Map<number, string>();
  for (let i = 0; i < DELIVERIES; i += 1) {
    queue.set(i, JSON.stringify({ Type: 'Notification', MessageId: i, Message: `order ${i}`, Timestamp: i }));
  }
  if (queue.size !== DELIVERIES) throw new Error(`kept ${queue.size}`);
}

function deliveries(queues: number, raw: boolean): (assembly: string) => Promise<Ratio> {
  return async assembly => {
    const [measuredMs, againstMs] = await sideBySide(
      ROUNDS,
      () => deliver(assembly, queues),
      bareDeliveries,
      threadTimed,
    );
    const perSecond = Math.round((DELIVERIES / measuredMs) * 1_000).toLocaleString('en');
    const kind = `${raw ? 'raw' : 'enveloped'} deliveries to ${queues === 1 ? 'one queue' : `${queues} queues each`}`;
    return {
      what: `${DELIVERIES.toLocaleString('en')} ${kind}, ${perSecond} a second,`,
      measuredMs,
      against: 'their texts kept in a map',
      againstMs,
    };
  };
}

/** How the topic fans out, and whether its queues get the message alone. */
const FAN_OUTS = [
  { queues: 1, raw: true },
  { queues: 1, raw: false },
  { queues: SUBSCRIBERS, raw: false },
] as const;

const MESSAGES = 1_000_000;
const BATCH = 10;

/** Publishes, receives and deletes a million messages. Returns the heap size after a tenth of them, and after all. */
async function memory(assembly: string): Promise<Figure> {
  const aws = await LocalAws.deploy(assembly, { trace: TRACE });
  const { sns, sqs } = aws.services;
  const TopicArn = aws.output('TopicArn');
  const QueueUrl = aws.output('Url1');
  let early = 0;
  let deleted = 0;
  for (let published = BATCH; published <= MESSAGES; published += BATCH) {
    for (let i = 0; i < BATCH; i += 1) sns.call('Publish', sns.owner, { TopicArn, Message: `order ${published + i}` });
    await aws.advance({ seconds: 1 });
    const { Messages = [] } = await sqs.call('ReceiveMessage', sqs.owner, { QueueUrl, MaxNumberOfMessages: BATCH });
    for (const { ReceiptHandle } of Messages) sqs.call('DeleteMessage', sqs.owner, { QueueUrl, ReceiptHandle });
    deleted += Messages.length;
    if (published === MESSAGES / 10) early = heapBytes();
  }
  const late = heapBytes();
  await aws.close();
  if (deleted !== MESSAGES) throw new Error(`expected ${MESSAGES} messages, saw ${deleted}`);
  const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return {
    value: late / early,
    unit: 'x',
    text: `the heap after ${MESSAGES.toLocaleString('en')} delivered messages (${megabytes(late)}) against after a tenth of them (${megabytes(early)})`,
  };
}

export const ROWS: readonly Row[] = [
  ...FAN_OUTS.map(
    ({ queues, raw }) =>
      () =>
        synthesized(fanOut(queues, raw), deliveries(queues, raw)),
  ),
  () => synthesized(fanOut(1, true), memory),
];
