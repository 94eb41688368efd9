import { answerOf, deadLetterTargetOf, type StatusRecord } from '../../policy/messages/delivery-status';
import { knownValue } from '../../template/maybe-known';
import { mayLack } from '../inventory/inventory';
import { answerCode, failedDeliveryOf, shortName } from './answer-rule';
import type { CauseExample, FailureRecord } from './cause';
import { diagnoseDelivery } from './endpoint-answers';
import type { Evidence, LoggedDelivery, SampledMessage, TopicLog } from './evidence';
import { subscriptionNamed } from './suspects';

/** A failed delivery whose message is in the queue, or should be, and whether a sampled message was matched with it. */
interface Unclaimed extends LoggedDelivery {
  readonly topicArn: string;
  isClaimed: boolean;
}

function exampleOf({ notification, delivery }: StatusRecord, answer: string): CauseExample {
  const { attempts, dwellTimeMs } = delivery;
  return {
    messageId: notification.messageId,
    answer,
    ...(attempts !== undefined && { attempts }),
    dwellTimeMs,
  };
}

/**
 * The failure that a log record of SNS shows.
 * @param subscriptionArn named by the message. @default - there is no message, or it names none
 */
function failureOf(
  { record, topicArn, atMs }: Unclaimed,
  messages: 0 | 1,
  evidence: Evidence,
  subscriptionArn?: string,
): FailureRecord {
  const reported = failedDeliveryOf(record, topicArn, evidence.inventory);
  const isSubscribedAnew = subscriptionArn !== undefined && reported.subscription?.arn !== subscriptionArn;
  const failed = { ...reported, isSubscribedAnew };
  return {
    key: { failed: 'subscription', by: topicArn, code: answerCode(failed), destination: failed.destination },
    firstAtMs: atMs,
    lastAtMs: atMs,
    messages,
    deliveries: 1,
    diagnose: () => diagnoseDelivery(failed),
    example: exampleOf(record, answerOf(record)),
  };
}

/** The failure of a message that SNS could not even send to the dead-letter queue: it is lost. */
function lossOf({ record, atMs }: LoggedDelivery, topicArn: string, evidence: Evidence): FailureRecord {
  const failed = failedDeliveryOf(record, topicArn, evidence.inventory);
  const { destination } = failed;
  return {
    key: { failed: 'dead-letter-queue', by: topicArn, code: answerCode(failed), destination },
    firstAtMs: atMs,
    lastAtMs: atMs,
    messages: 0,
    deliveries: 1,
    diagnose: () => {
      const { says, ...rest } = diagnoseDelivery({ ...failed, protocol: 'sqs' });
      return { ...rest, says: `LOST: SNS could not send these to ${shortName(destination)} itself. ${says}` };
    },
    example: exampleOf(record, answerOf(record)),
  };
}

/**
 * Whether SNS may have sent the message to the dead-letter queue. It did not send messages that SQS moved from another
 * queue, nor messages whose attributes show another sender.
 */
function isSentBySns({ decoded: { who, message } }: SampledMessage): boolean {
  return message.movedFromArn === undefined && (who.kind === 'notification' || who.kind === 'plain');
}

const isFailure = ({ record }: LoggedDelivery) => record.status === 'FAILURE';

/** The failed deliveries that topics logged, matched with the sampled messages. */
export class Deliveries {
  private readonly byMessageId = new Map<string, Unclaimed[]>();
  private readonly byMd5 = new Map<string, Unclaimed[]>();
  private readonly all: Unclaimed[] = [];
  private readonly byMessage = new Map<SampledMessage, Unclaimed>();
  private readonly losses: FailureRecord[];

  constructor(private readonly evidence: Evidence) {
    const { queueArn, topicLogs } = evidence;
    const ended = topicLogs.flatMap(log => this.endedHere(log));
    for (const delivery of ended) this.keep(delivery);
    // If a message failed at several endpoints, match those with a known endpoint first.
    this.claim(seen => this.endpointOf(seen) !== undefined);
    this.claim(() => true);
    this.losses = topicLogs.flatMap(({ topicArn, deliveries }) =>
      deliveries
        .filter(it => isFailure(it) && it.record.delivery.destination === queueArn)
        .map(it => lossOf(it, topicArn, evidence)),
    );
  }

  /**
   * The failure of a message, if the log has its record. The match is by SNS's message id, or by content for a raw
   * message.
   */
  failureOf(seen: SampledMessage): FailureRecord | undefined {
    const found = this.byMessage.get(seen);
    return found && failureOf(found, 1, this.evidence, subscriptionNamed(seen));
  }

  /** Logged failures without a sampled message. */
  unclaimed(): FailureRecord[] {
    return [...this.all.filter(it => !it.isClaimed).map(it => failureOf(it, 0, this.evidence)), ...this.losses];
  }

  private endedHere({ topicArn, deliveries }: TopicLog): Unclaimed[] {
    const here = deliveries.filter(it => isFailure(it) && deadLetterTargetOf(it.record) === this.evidence.queueArn);
    return here.map(it => ({ ...it, topicArn, isClaimed: false }));
  }

  private keep(delivery: Unclaimed): void {
    const { messageId, messageMD5Sum } = delivery.record.notification;
    this.all.push(delivery);
    this.byMessageId.set(messageId, [...(this.byMessageId.get(messageId) ?? []), delivery]);
    this.byMd5.set(messageMD5Sum, [...(this.byMd5.get(messageMD5Sum) ?? []), delivery]);
  }

  private claim(isMeant: (seen: SampledMessage) => boolean): void {
    for (const seen of this.evidence.messages.filter(isSentBySns)) {
      const found = isMeant(seen) && !this.byMessage.has(seen) ? this.find(seen) : undefined;
      if (!found) continue;
      found.isClaimed = true;
      this.byMessage.set(seen, found);
    }
  }

  private find(seen: SampledMessage): Unclaimed | undefined {
    const { decoded, bodyMd5 } = seen;
    const { who } = decoded;
    if (who.kind !== 'notification') return this.byMd5.get(bodyMd5)?.find(it => !it.isClaimed);
    const endpoint = this.endpointOf(seen);
    const candidates = (this.byMessageId.get(who.envelope.MessageId) ?? []).filter(it => !it.isClaimed);
    const own = candidates.find(it => it.record.delivery.destination === endpoint);
    // The message may be that of another subscriber, whose record is not here.
    if (own === undefined && mayLack(this.evidence.inventory, 'subscriptions') && candidates.length > 1)
      return undefined;
    return own ?? candidates.find(it => endpoint === undefined || !this.isOfOther(it, endpoint));
  }

  /** Whether a record is about another subscriber of the topic: its message, too, may be in the queue. */
  private isOfOther({ topicArn, record }: Unclaimed, endpoint: string): boolean {
    const { destination } = record.delivery;
    if (destination === endpoint) return false;
    return this.evidence.inventory.subscriptions.some(
      it => knownValue(it.topicArn) === topicArn && knownValue(it.endpoint) === destination,
    );
  }

  /** The endpoint of the subscription that a message names; undefined if it names none that exists. */
  private endpointOf(seen: SampledMessage): string | undefined {
    const arn = subscriptionNamed(seen);
    const found = this.evidence.inventory.subscriptions.find(it => it.arn === arn);
    return found && knownValue(found.endpoint);
  }
}
