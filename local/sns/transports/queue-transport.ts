import { parseArn } from '../../../policy/arn';
import { regionalSnsPrincipal } from '../../../policy/aws-limits';
import type { Outcome } from '../../../policy/outcome/outcome';
import { AwsError } from '../../kernel/aws-error';
import { type Caller, type Latency, serviceCaller } from '../../kernel/caller';
import { byteLengthOf, isFifoName, type LazyText } from '../../kernel/messaging';
import type { Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import type { Scheduler } from '../../kernel/timeline';
import type { Envelopes } from '../envelope/envelopes';
import type { MessageToQueue, QueueSender } from '../ports';
import type { Topic } from '../topic/topic-and-subscription';
import { type AttemptEnd, type Delivery, serviceFailure, type Transport } from './transport';

const NO_SUCH_QUEUE = 'AWS.SimpleQueueService.NonExistentQueue';

/** The error of SQS for a deleted queue. It is created here, because there is no queue left to call. */
const queueGone = (): AwsError => new AwsError(NO_SUCH_QUEUE, 'The specified queue does not exist.');

/** The errors that SNS words differently from SQS. */
const SNS_TEXTS: Readonly<Record<string, (queueUrl: string) => string>> = {
  [NO_SUCH_QUEUE]: () => 'The specified queue does not exist or you do not have access to it.',
  AccessDenied: queueUrl => `Access to the resource ${queueUrl} is denied.`,
};

interface QueueAddress {
  readonly url: string;
  readonly region: string;
  readonly isFifo: boolean;
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

const OK: Outcome = { kind: 'answered', statusCode: 200 };

/**
 * Sends messages to subscribed queues. Also sends to the dead-letter queues of subscriptions of any protocol.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-sqs-as-subscriber.html
 */
export class QueueTransport implements Transport {
  private readonly addresses = new Map<string, QueueAddress>();
  /** By Region of the queue. */
  private readonly callers = new WeakMap<Topic, Map<string, Caller>>();
  /** Latency of the last call. SQS sets it before the call returns. */
  private readonly latency: Latency = { ms: 0 };

  constructor(
    private readonly sqs: QueueSender,
    private readonly envelopes: Envelopes,
    private readonly place: Place,
    private readonly timeline: Scheduler,
    private readonly random: Random,
  ) {}

  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const { endpoint, queueWasDeleted } = delivery.subscription;
    if (queueWasDeleted) report(this.refused(queueGone(), this.addressOf(endpoint)));
    else this.send(endpoint, delivery, report);
  }

  /**
   * Sends to the queue `queueArn` exactly what the endpoint of the subscription would receive. Reports after the
   * latency of SQS, as `Transport.attempt` does.
   */
  send(queueArn: string, delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const { topic, traceHeader } = delivery.message;
    const address = this.addressOf(queueArn);
    const caller = this.callerFor(topic, address.region);
    const traced = traceHeader === undefined ? caller : { ...caller, traceHeader };
    this.sendAs(traced, address, () => this.content(address, delivery), report);
  }

  /** Sends a text to the queue `queueArn`, without a message of the topic. */
  sendText(queueArn: string, topic: Topic, text: string, report: (end: AttemptEnd) => void): void {
    const address = this.addressOf(queueArn);
    const caller = this.callerFor(topic, address.region);
    this.sendAs(caller, address, () => ({ QueueUrl: address.url, MessageBody: text }), report);
  }

  private sendAs(
    caller: Caller,
    address: QueueAddress,
    content: () => MessageToQueue,
    report: (end: AttemptEnd) => void,
  ): void {
    this.latency.ms = 0;
    const end = this.endOf(caller, address, content);
    const { ms } = this.latency;
    if (ms === 0) report(end);
    else this.timeline.after(ms, () => report(end));
  }

  private endOf(caller: Caller, address: QueueAddress, content: () => MessageToQueue): AttemptEnd {
    try {
      const { MessageId } = this.sqs.call('SendMessage', caller, content());
      return new AcceptedEnd(MessageId, this.random);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return this.refused(error, address);
    }
  }

  private refused(error: AwsError, { url }: QueueAddress): AttemptEnd {
    const text = SNS_TEXTS[error.code]?.(url);
    return serviceFailure({ protocol: 'sqs', error, random: this.random, ...(text !== undefined && { text }) });
  }

  /** SNS as the caller, on behalf of the topic. All messages of a topic without a trace header share one caller. */
  private callerFor(topic: Topic, region: string): Caller {
    const byRegion = this.callers.get(topic) ?? new Map<string, Caller>();
    const known = byRegion.get(region);
    if (known) return known;
    const principal = regionalSnsPrincipal(this.place.region, region) ?? 'sns.amazonaws.com';
    const caller = { ...serviceCaller(principal, topic.arn, topic.account), latency: this.latency };
    this.callers.set(topic, byRegion.set(region, caller));
    return caller;
  }

  private content({ url: QueueUrl, isFifo }: QueueAddress, delivery: Delivery): MessageToQueue {
    const { message, subscription } = delivery;
    const content: Writable<MessageToQueue> = { QueueUrl, MessageBody: this.bodyOf(delivery) };
    if (subscription.rawMessageDelivery && message.hasAttributes) content.MessageAttributes = { ...message.attributes };
    const { fifo, groupId } = message;
    if (fifo && isFifo) {
      content.MessageGroupId = fifo.groupId;
      content.MessageDeduplicationId = fifo.deduplicationId;
    } else if (groupId !== undefined) {
      content.MessageGroupId = groupId;
    }
    return content;
  }

  private bodyOf(delivery: Delivery): string | LazyText {
    const { message, subscription } = delivery;
    if (subscription.rawMessageDelivery) return new RawBody(message.bodyFor(subscription.textKey));
    return delivery.enveloped(this.envelopes);
  }

  private addressOf(queueArn: string): QueueAddress {
    const known = this.addresses.get(queueArn);
    if (known) return known;
    const arn = parseArn(queueArn);
    const url = arn ? `https://sqs.${arn.region}.${this.place.urlSuffix}/${arn.account}/${arn.resource}` : queueArn;
    const address = { url, region: arn?.region ?? '', isFifo: isFifoName(queueArn) };
    this.addresses.set(queueArn, address);
    return address;
  }
}

/** A message without envelope. As a lazy text, so that SQS computes no digest that only a client of the wire reads. */
class RawBody implements LazyText {
  readonly byteLength: number;

  constructor(readonly text: string) {
    this.byteLength = byteLengthOf(text);
  }

  toString(): string {
    return this.text;
  }
}

class AcceptedEnd implements AttemptEnd {
  readonly outcome = OK;

  constructor(
    private readonly sqsMessageId: string | undefined,
    private readonly random: Random,
  ) {}

  providerResponse(): string {
    return JSON.stringify({ sqsRequestId: this.random.uuid(), sqsMessageId: this.sqsMessageId });
  }
}
