import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { Scheduler } from '../../../local';
import { isInFleet, type Order } from './order-book';

/** How often the system looks for orders; a short poll, because it has other work to do. */
const POLL_MS = 20_000;

/** Why the fulfilment system could not deal with a message: a line of its own log. */
export interface FulfilmentFailure {
  readonly atMs: number;
  readonly messageId: string;
  readonly orderId: string;
  readonly reason: string;
}

/** The in-house fulfilment system on its own servers: an ordinary SQS consumer, outside of AWS Lambda. */
export class FulfilmentSystem {
  private readonly log: FulfilmentFailure[] = [];

  constructor(
    private readonly timeline: Scheduler,
    private readonly sqs: SQSClient,
    private readonly queueUrl: string,
  ) {}

  /** Every order it failed on, each time it tried. */
  get failures(): readonly FulfilmentFailure[] {
    return this.log;
  }

  /** Polls until `untilMs`. */
  run(untilMs: number): void {
    if (this.timeline.nowMs >= untilMs) return;
    this.timeline.after(POLL_MS, async () => {
      for (const message of await this.receive()) await this.handle(message);
      this.run(untilMs);
    });
  }

  /** The messages there are, or none while SQS does not answer: the next poll will tell. */
  private async receive(): Promise<readonly Message[]> {
    try {
      const request = new ReceiveMessageCommand({ QueueUrl: this.queueUrl, MaxNumberOfMessages: 10 });
      return (await this.sqs.send(request)).Messages ?? [];
    } catch (error) {
      if (error instanceof SQSServiceException && error.$fault === 'server') return [];
      throw error;
    }
  }

  /** An order that was fulfilled is deleted. One that was not comes back when its visibility timeout is over. */
  private async handle({ MessageId: messageId = '', Body: body = '', ReceiptHandle: handle }: Message): Promise<void> {
    const order = orderIn(body);
    if (isInFleet(order.vehicleClass)) {
      await this.sqs.send(new DeleteMessageCommand({ QueueUrl: this.queueUrl, ReceiptHandle: handle }));
    } else {
      const reason = `no vehicle of class "${order.vehicleClass}" in the fleet`;
      this.log.push({ atMs: this.timeline.nowMs, messageId, orderId: order.orderId, reason });
    }
  }
}

/** The order inside the envelope SNS delivers. */
export function orderIn(body: string): Order {
  const { Message } = JSON.parse(body) as { Message: string };
  return JSON.parse(Message) as Order;
}
