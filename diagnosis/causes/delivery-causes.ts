import { answerOf, deadLetterTargetOf, type StatusRecord } from '../../policy/messages/delivery-status';
import { subscriptionArnOf } from '../../policy/messages/envelope';
import { knownValue } from '../../template/maybe-known';
import { answerCode, failedDeliveryOf, shortName } from './answer-rule';
import type { CauseExample, FailureRecord } from './cause';
import { diagnoseDelivery } from './endpoint-answers';
import type { Evidence, LoggedDelivery, SeenMessage, TopicLog } from './evidence';

/** A delivery that ended in the queue, or was to, and whether a letter has been found for it. */
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
 * What a record of SNS says of a delivery that was given up.
 * @param subscriptionArn the letter names. @default - there is no letter, or it names none
 */
function deathOf(
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

/** What SNS could not even put into the dead-letter queue: it is lost. */
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
      return { ...rest, says: `LOST: SNS could not put these into ${shortName(destination)} itself. ${says}` };
    },
    example: exampleOf(record, answerOf(record)),
  };
}

/** The subscription a letter was for, as its envelope names it. */
function subscriptionNamed({ decoded: { who } }: SeenMessage): string | undefined {
  return who.kind === 'notification' ? subscriptionArnOf(who.envelope) : undefined;
}

/** Whether SNS may have sent it: what SQS moved here has been delivered before, and others say so of what they sent. */
function isSentBySns({ decoded: { who, message } }: SeenMessage): boolean {
  return message.movedFromArn === undefined && (who.kind === 'notification' || who.kind === 'plain');
}

const isFailure = ({ record }: LoggedDelivery) => record.status === 'FAILURE';

/** The deliveries that topics logged, and the letters they became. */
export class Deliveries {
  private readonly byMessageId = new Map<string, Unclaimed[]>();
  private readonly byMd5 = new Map<string, Unclaimed[]>();
  private readonly all: Unclaimed[] = [];
  private readonly byMessage = new Map<SeenMessage, Unclaimed>();
  private readonly losses: FailureRecord[];

  constructor(private readonly evidence: Evidence) {
    const { queueArn, topicLogs } = evidence;
    const ended = topicLogs.flatMap(log => this.endedHere(log));
    for (const delivery of ended) this.keep(delivery);
    // Of a message that failed at several, whoever is sure which is theirs comes first.
    this.claim(seen => this.endpointOf(seen) !== undefined);
    this.claim(() => true);
    this.losses = topicLogs.flatMap(({ topicArn, deliveries }) =>
      deliveries
        .filter(it => isFailure(it) && it.record.delivery.destination === queueArn)
        .map(it => lossOf(it, topicArn, evidence)),
    );
  }

  /** The record of a letter's delivery, where there is one: by SNS's message id, or of a bare message by what it says. */
  death(seen: SeenMessage): FailureRecord | undefined {
    const found = this.byMessage.get(seen);
    return found && deathOf(found, 1, this.evidence, subscriptionNamed(seen));
  }

  /** What was logged, and no letter was seen of. */
  unclaimed(): FailureRecord[] {
    return [...this.all.filter(it => !it.isClaimed).map(it => deathOf(it, 0, this.evidence)), ...this.losses];
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

  private claim(isMeant: (seen: SeenMessage) => boolean): void {
    for (const seen of this.evidence.messages.filter(isSentBySns)) {
      const found = isMeant(seen) && !this.byMessage.has(seen) ? this.find(seen) : undefined;
      if (!found) continue;
      found.isClaimed = true;
      this.byMessage.set(seen, found);
    }
  }

  private find(seen: SeenMessage): Unclaimed | undefined {
    const { decoded, bodyMd5 } = seen;
    const { who } = decoded;
    if (who.kind !== 'notification') return this.byMd5.get(bodyMd5)?.find(it => !it.isClaimed);
    const endpoint = this.endpointOf(seen);
    const candidates = (this.byMessageId.get(who.envelope.MessageId) ?? []).filter(it => !it.isClaimed);
    return candidates.find(it => it.record.delivery.destination === endpoint) ?? candidates[0];
  }

  /** Where the subscription a letter names delivers; undefined where it names none that is there. */
  private endpointOf(seen: SeenMessage): string | undefined {
    const arn = subscriptionNamed(seen);
    const found = this.evidence.inventory.subscriptions.find(it => it.arn === arn);
    return found && knownValue(found.endpoint);
  }
}
