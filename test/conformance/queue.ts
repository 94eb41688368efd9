import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { ON_AWS, type Target } from './target';

type Attributes = Partial<Record<QueueAttributeName, string>>;
type ReceiveOptions = Omit<ReceiveMessageCommandInput, 'QueueUrl'>;

/** One queue, and the calls of a client to it. */
export class Queue {
  private constructor(
    private readonly aws: Target,
    readonly url: string,
    readonly arn: string,
  ) {}

  static async of(aws: Target, attributes: Attributes = {}): Promise<Queue> {
    const url = await aws.queue(attributes);
    return new Queue(aws, url, await aws.queueArn(url));
  }

  /** A FIFO queue that deduplicates by content. */
  static fifo(aws: Target, attributes: Attributes = {}): Promise<Queue> {
    return Queue.of(aws, { FifoQueue: 'true', ContentBasedDeduplication: 'true', ...attributes });
  }

  get name(): string {
    return this.arn.slice(this.arn.lastIndexOf(':') + 1);
  }

  send(MessageBody: string, options: Omit<SendMessageCommandInput, 'QueueUrl' | 'MessageBody'> = {}) {
    return this.aws.sqs.send(new SendMessageCommand({ QueueUrl: this.url, MessageBody, ...options }));
  }

  /** Sends messages in sequence. On a FIFO queue, the name contains the group: `g1` of `g1-m2`. */
  async sendAll(bodies: readonly string[]): Promise<void> {
    for (const body of bodies) await this.send(body, this.isFifo ? { MessageGroupId: body.split('-')[0] } : {});
  }

  /**
   * Receives up to ten messages. On a real account it waits one second, so that all of SQS's servers are asked: a short
   * poll asks only some of them.
   */
  async receive(options: ReceiveOptions = {}): Promise<readonly Message[]> {
    return (await this.answer(options)).Messages ?? [];
  }

  answer(options: ReceiveOptions = {}) {
    const asked = new ReceiveMessageCommand({
      QueueUrl: this.url,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
      ...(ON_AWS && { WaitTimeSeconds: 1 }),
      ...options,
    });
    return this.aws.sqs.send(asked);
  }

  /**
   * Begins a long poll. When this resolves, the poll has reached the embedded AWS, and time may advance or a message arrive. (In
   * a real account, the poll also returns messages that came a moment earlier.)
   */
  async longPoll(WaitTimeSeconds: number): Promise<{ readonly answer: Promise<readonly Message[]> }> {
    const answer = this.receive({ WaitTimeSeconds });
    const over = () => true;
    const answered = answer.then(over, over);
    while (!ON_AWS && !this.isPolled()) {
      const stillAsking = this.aws.control('GET', 'health').then(() => false);
      if (await Promise.race([answered, stillAsking])) break;
    }
    return { answer };
  }

  async bodies(options: ReceiveOptions = {}): Promise<readonly (string | undefined)[]> {
    return (await this.receive(options)).map(({ Body }) => Body);
  }

  /** Receives `times` times, with each message visible again at once. One more receive moves messages beyond `maxReceiveCount`. */
  async receiveTooOften(times: number): Promise<void> {
    for (let i = 0; i <= times; i += 1) await this.receive({ VisibilityTimeout: 0 });
  }

  change(message: Message | string | undefined, VisibilityTimeout: number) {
    const ReceiptHandle = handleOf(message);
    return this.aws.sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.url, ReceiptHandle, VisibilityTimeout }),
    );
  }

  remove(message: Message | string | undefined) {
    return this.aws.sqs.send(new DeleteMessageCommand({ QueueUrl: this.url, ReceiptHandle: handleOf(message) }));
  }

  set(attributes: Attributes) {
    return this.aws.sqs.send(new SetQueueAttributesCommand({ QueueUrl: this.url, Attributes: attributes }));
  }

  async attributes(): Promise<Attributes> {
    const asked = new GetQueueAttributesCommand({ QueueUrl: this.url, AttributeNames: ['All'] });
    return (await this.aws.sqs.send(asked)).Attributes ?? {};
  }

  /** Returns how many messages are visible, in flight and delayed. */
  async depths(): Promise<readonly [visible: number, inFlight: number, delayed: number]> {
    const of = await this.attributes();
    const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: inFlight } = of;
    return [Number(visible), Number(inFlight), Number(of.ApproximateNumberOfMessagesDelayed)];
  }

  private isPolled(): boolean {
    return this.aws.embedded.state().queues.some(({ arn, longPolls }) => arn === this.arn && longPolls > 0);
  }

  private get isFifo(): boolean {
    return this.url.endsWith('.fifo');
  }
}

/** A redrive policy that names a dead-letter queue. */
export function redrivePolicy(deadLetterTargetArn: string, maxReceiveCount: unknown = 1): string {
  return JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
}

const handleOf = (message: Message | string | undefined): string | undefined =>
  typeof message === 'string' ? message : message?.ReceiptHandle;
