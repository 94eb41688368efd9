import type { ListMessageMoveTasksResultEntry } from '@aws-sdk/client-sqs';
import { ADMIN, SqsFixture } from './sqs-fixture';

export const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

export const redrivePolicy = (deadLetterQueue = 'dlq') =>
  JSON.stringify({ deadLetterTargetArn: arn(deadLetterQueue), maxReceiveCount: 1 });

/** `orders` and `returns` share the dead-letter queue `dlq`; `other` is another queue. */
export class RedriveFixture extends SqsFixture {
  readonly dlq: string;
  readonly orders: string;
  readonly returns: string;
  readonly other: string;

  constructor(readonly isFifo = false) {
    super();
    const RedrivePolicy = redrivePolicy(this.nameOf('dlq'));
    this.dlq = this.create('dlq');
    this.orders = this.create('orders', { RedrivePolicy });
    this.returns = this.create('returns', { RedrivePolicy });
    this.other = this.create('other');
  }

  /** The ARN of one of the four queues. */
  arn(name: 'dlq' | 'orders' | 'returns' | 'other'): string {
    return arn(this.nameOf(name));
  }

  /** Sends the bodies to the queue and has its redrive policy move them: received once, then once more. */
  deadLetter(url: string, ...bodies: readonly string[]): string[] {
    return bodies.map(body => {
      const id = this.isFifo ? (this.sendTo(url, 'group', body).MessageId ?? '') : this.send(url, body);
      this.receive(url, 0);
      this.receive(url, 0);
      return id;
    });
  }

  start(input: { DestinationArn?: string; MaxNumberOfMessagesPerSecond?: number; SourceArn?: string } = {}): string {
    const { TaskHandle = '' } = this.sqs.call('StartMessageMoveTask', ADMIN, { SourceArn: this.arn('dlq'), ...input });
    return TaskHandle;
  }

  list(max?: number): ListMessageMoveTasksResultEntry[] {
    const SourceArn = this.arn('dlq');
    return this.sqs.call('ListMessageMoveTasks', ADMIN, { SourceArn, MaxResults: max }).Results ?? [];
  }

  /** The newest task. */
  get task(): ListMessageMoveTasksResultEntry {
    const [task] = this.list();
    if (!task) throw new Error('there is no task');
    return task;
  }

  cancel(TaskHandle: string): number | undefined {
    return this.sqs.call('CancelMessageMoveTask', ADMIN, { TaskHandle }).ApproximateNumberOfMessagesMoved;
  }

  /** How many messages of a queue are visible. */
  depth(url: string): number {
    return Number(this.attributes(url)['ApproximateNumberOfMessages']);
  }

  /** Seconds after the start at which messages were moved. */
  movedAt(): number[] {
    return this.happened('sqs.moved').map(({ atMs }) => (atMs - this.timeline.nowMs) / 1000 + this.seconds);
  }

  private create(name: string, attributes: Record<string, string> = {}): string {
    return this.isFifo ? this.createFifoQueue(name, attributes) : this.createQueue(name, attributes);
  }

  private nameOf(name: string): string {
    return this.isFifo ? `${name}.fifo` : name;
  }
}
