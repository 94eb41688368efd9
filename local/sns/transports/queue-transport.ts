import type { SendMessageRequest } from '@aws-sdk/client-sqs';
import { parseArn } from '../../kernel/arn';
import { AwsError } from '../../kernel/aws-error';
import { afterLatency, type Latency, serviceCaller } from '../../kernel/caller';
import type { Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { Envelopes } from '../envelope/envelopes';
import { isFifoName } from '../fifo';
import type { Message } from '../message';
import type { MessageToQueue, QueueSender } from '../ports';
import { serviceFailure } from './service-failure';
import type { AttemptEnd, Delivery, Transport } from './transport';

type GroupIds = Pick<SendMessageRequest, 'MessageGroupId' | 'MessageDeduplicationId'>;

/** Where SNS words an error otherwise than SQS does. */
const SNS_TEXTS: Readonly<Record<string, (queueUrl: string) => string>> = {
  'AWS.SimpleQueueService.NonExistentQueue': () =>
    'The specified queue does not exist or you do not have access to it.',
  AccessDenied: queueUrl => `Access to the resource ${queueUrl} is denied.`,
};

/**
 * How SQS is to keep messages in order, or fair. A standard queue gets neither id of a FIFO topic; what a standard topic's
 * message says of its group, its queues are fair by.
 */
function groupOf({ fifo, groupId }: Message, queueArn: string): GroupIds {
  if (fifo) {
    return isFifoName(queueArn) ? { MessageGroupId: fifo.groupId, MessageDeduplicationId: fifo.deduplicationId } : {};
  }
  return groupId === undefined ? {} : { MessageGroupId: groupId };
}

/**
 * Sends to queues: to those that subscribed, and to dead-letter queues whatever the protocol of the subscription.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-sqs-as-subscriber.html
 */
export class QueueTransport implements Transport {
  private readonly urls = new Map<string, string>();

  constructor(
    private readonly sqs: QueueSender,
    private readonly envelopes: Envelopes,
    private readonly place: Place,
    private readonly timeline: Scheduler,
    private readonly random: Random,
  ) {}

  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const latency: Latency = { ms: 0 };
    const end = this.send(delivery.subscription.endpoint, delivery, latency);
    afterLatency(this.timeline, latency, () => report(end));
  }

  /**
   * Sends to the queue `queueArn` exactly what the subscriber's endpoint receives.
   *
   * @param latency is told how long SQS takes
   */
  send(queueArn: string, delivery: Delivery, latency?: Latency): AttemptEnd {
    const { topic, traceHeader } = delivery.message;
    const QueueUrl = this.urlOf(queueArn);
    try {
      const caller = { ...serviceCaller('sns.amazonaws.com', topic.arn, topic.account), traceHeader, latency };
      const { MessageId } = this.sqs.call('SendMessage', caller, { QueueUrl, ...this.content(queueArn, delivery) });
      return {
        outcome: { kind: 'answered', statusCode: 200 },
        providerResponse: () => JSON.stringify({ sqsRequestId: this.random.uuid(), sqsMessageId: MessageId }),
      };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const text = SNS_TEXTS[error.code]?.(QueueUrl);
      return serviceFailure({ protocol: 'sqs', error, random: this.random, ...(text !== undefined && { text }) });
    }
  }

  private content(queueArn: string, delivery: Delivery): Omit<MessageToQueue, 'QueueUrl'> {
    const { message, subscription } = delivery;
    const group = groupOf(message, queueArn);
    if (!subscription.rawMessageDelivery) {
      return { MessageBody: delivery.enveloped(this.envelopes), ...group };
    }
    return {
      MessageBody: message.bodyFor(subscription.textKey),
      MessageAttributes: { ...message.attributes },
      ...group,
    };
  }

  private urlOf(queueArn: string): string {
    const known = this.urls.get(queueArn);
    if (known !== undefined) return known;
    const arn = parseArn(queueArn);
    const url = arn ? `https://sqs.${arn.region}.${this.place.urlSuffix}/${arn.account}/${arn.resource}` : queueArn;
    this.urls.set(queueArn, url);
    return url;
  }
}
