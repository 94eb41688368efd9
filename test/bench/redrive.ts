import { LocalAws } from '../../local';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import { Child, median, type Ratio, type Row, timed } from './measure';
import type { CopyingLoad } from './redrive-copying.child';

const MESSAGES = 2_000;
const ROUNDS = 3;
const BATCH = 10;

/**
 * What a move task of SQS moves in a second at most.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
const NATIVE_RATE = 500;

/** Faster than any copying. */
const NO_RATE = 100_000;

/** The time between two checks of a task. */
const LOOK_EVERY_MS = 10;

/** A queue and its dead-letter queue, in an embedded AWS that follows the wall clock. */
class Mail {
  private constructor(
    private readonly aws: LocalAws,
    private readonly endpoint: string,
    private readonly copier: Child,
  ) {
    const { sqs } = aws.services;
    sqs.call('CreateQueue', sqs.owner, { QueueName: 'dead' });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: this.named('dead').arn, maxReceiveCount: 3 });
    sqs.call('CreateQueue', sqs.owner, { QueueName: 'home', Attributes: { RedrivePolicy } });
  }

  static async open(): Promise<Mail> {
    const aws = LocalAws.start({ trace: { keep: 1_000 } });
    const { url } = await aws.listen({ speed: 1 });
    return new Mail(aws, url, new Child('redrive-copying.child.js'));
  }

  /** Returns how long the function takes to copy messages that are already in the queue. */
  async copied(messagesPerSecond: number): Promise<number> {
    this.deadLetterMessage();
    const load: CopyingLoad = {
      endpoint: this.endpoint,
      deadLetters: this.named('dead'),
      destination: this.named('home'),
      messagesPerSecond,
      messages: MESSAGES,
    };
    return this.copier.ask<number>(load);
  }

  /** Returns how long a move task takes at its highest rate. */
  async moved(): Promise<number> {
    this.deadLetterMessage();
    const { sqs } = this.aws.services;
    const [SourceArn, DestinationArn] = [this.named('dead').arn, this.named('home').arn];
    const order = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: NATIVE_RATE };
    const status = () => sqs.call('ListMessageMoveTasks', sqs.owner, { SourceArn }).Results?.[0]?.Status;
    return timed(async () => {
      sqs.call('StartMessageMoveTask', sqs.owner, order);
      while (status() === 'RUNNING') await this.passed(LOOK_EVERY_MS);
    });
  }

  async close(): Promise<void> {
    this.copier.kill();
    await this.aws.close();
  }

  private named(queue: string): QueueName {
    return { url: `${this.endpoint}/123456789012/${queue}`, arn: `arn:aws:sqs:us-east-1:123456789012:${queue}` };
  }

  private deadLetterMessage(): void {
    const { sqs } = this.aws.services;
    const QueueUrl = this.named('dead').url;
    const MessageBody = JSON.stringify({ orderId: 'order-0001', customer: 'somebody', car: 'compact', days: 3 });
    const Entries = Array.from({ length: BATCH }, (_, index) => ({ Id: String(index), MessageBody }));
    for (let deadLettered = 0; deadLettered < MESSAGES; deadLettered += BATCH) {
      sqs.call('SendMessageBatch', sqs.owner, { QueueUrl, Entries });
    }
  }

  private passed(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      this.aws.timeline.after(milliseconds, resolve);
    });
  }
}

const perSecond = (ms: number): string => `${Math.round((MESSAGES / ms) * 1_000).toLocaleString('en')} a second`;

/** Compares copying by the function at a rate with the fastest move task. Both use the same queues in turn. */
async function copying(rate: number, how: string): Promise<Ratio> {
  const mail = await Mail.open();
  try {
    // A first pass loads the code and opens the connections, before anything is measured.
    await mail.copied(rate);
    const times: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push([await mail.copied(rate), await mail.moved()]);
    const [measuredMs, againstMs] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
    return {
      what: `${MESSAGES.toLocaleString('en')} dead letters copied by a redrive ${how}, ${perSecond(measuredMs)},`,
      measuredMs,
      against: `a message move task at its ${NATIVE_RATE} a second`,
      againstMs,
    };
  } finally {
    await mail.close();
  }
}

/** Compares copying, the fallback of a redrive, with SQS's own tasks: over the wire, in a separate process. */
export const ROWS: readonly Row[] = [
  () => copying(NATIVE_RATE, `at ${NATIVE_RATE} a second`),
  () => copying(NO_RATE, 'at no pace'),
];
