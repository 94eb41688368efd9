import { toldOf } from '../inventory/told';
import { subscriptionArnOf } from '../letters/envelope';
import { answerOf, deadLetterTargetOf, type StatusRecord } from '../letters/status-record';
import { diagnoseDelivery } from './answers';
import type { CauseExample } from './cause';
import type { Death } from './death';
import type { Evidence, LoggedDelivery, SeenLetter, TopicLog } from './evidence';
import { answerCode, failedDeliveryOf, shortName } from './failed-delivery';

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

/** What a record of SNS says of a delivery that was given up. */
function deathOf({ record, topicArn, atMs }: Unclaimed, letters: 0 | 1, evidence: Evidence): Death {
  const failed = failedDeliveryOf(record, topicArn, evidence.inventory);
  return {
    key: { failed: 'subscription', by: topicArn, code: answerCode(failed), destination: failed.destination },
    firstAtMs: atMs,
    lastAtMs: atMs,
    letters,
    deliveries: 1,
    diagnose: () => diagnoseDelivery(failed),
    example: exampleOf(record, answerOf(record)),
  };
}

/** What SNS could not even put into the dead-letter queue: it is lost. */
function lossOf({ record, atMs }: LoggedDelivery, topicArn: string, evidence: Evidence): Death {
  const failed = failedDeliveryOf(record, topicArn, evidence.inventory);
  const { destination } = failed;
  return {
    key: { failed: 'dead-letter-queue', by: topicArn, code: answerCode(failed), destination },
    firstAtMs: atMs,
    lastAtMs: atMs,
    letters: 0,
    deliveries: 1,
    diagnose: () => {
      const { says, ...rest } = diagnoseDelivery({ ...failed, protocol: 'sqs' });
      return { ...rest, says: `LOST: SNS could not put these into ${shortName(destination)} itself. ${says}` };
    },
    example: exampleOf(record, answerOf(record)),
  };
}

const isFailure = ({ record }: LoggedDelivery) => record.status === 'FAILURE';

/** The deliveries that topics logged, and the letters they became. */
export class Deliveries {
  private readonly byMessage = new Map<string, Unclaimed[]>();
  private readonly byMd5 = new Map<string, Unclaimed[]>();
  private readonly all: Unclaimed[] = [];
  private readonly losses: Death[];

  constructor(private readonly evidence: Evidence) {
    const { queueArn, topicLogs } = evidence;
    const ended = topicLogs.flatMap(log => this.endedHere(log));
    for (const delivery of ended) this.keep(delivery);
    this.losses = topicLogs.flatMap(({ topicArn, deliveries }) =>
      deliveries
        .filter(it => isFailure(it) && it.record.delivery.destination === queueArn)
        .map(it => lossOf(it, topicArn, evidence)),
    );
  }

  /** The record of a letter's delivery, where there is one: by SNS's message id, or of a bare message by what it says. */
  death(seen: SeenLetter): Death | undefined {
    const found = this.find(seen);
    if (!found) return undefined;
    found.isClaimed = true;
    return deathOf(found, 1, this.evidence);
  }

  /** What was logged, and no letter was seen of. */
  unclaimed(): Death[] {
    return [...this.all.filter(it => !it.isClaimed).map(it => deathOf(it, 0, this.evidence)), ...this.losses];
  }

  private endedHere({ topicArn, deliveries }: TopicLog): Unclaimed[] {
    const here = deliveries.filter(it => isFailure(it) && deadLetterTargetOf(it.record) === this.evidence.queueArn);
    return here.map(it => ({ ...it, topicArn, isClaimed: false }));
  }

  private keep(delivery: Unclaimed): void {
    const { messageId, messageMD5Sum } = delivery.record.notification;
    this.all.push(delivery);
    this.byMessage.set(messageId, [...(this.byMessage.get(messageId) ?? []), delivery]);
    this.byMd5.set(messageMD5Sum, [...(this.byMd5.get(messageMD5Sum) ?? []), delivery]);
  }

  private find({ decoded, bodyMd5 }: SeenLetter): Unclaimed | undefined {
    const { who } = decoded;
    if (who.kind !== 'notification') return this.byMd5.get(bodyMd5)?.find(it => !it.isClaimed);
    const endpoint = this.endpointOf(subscriptionArnOf(who.envelope));
    const candidates = (this.byMessage.get(who.envelope.MessageId) ?? []).filter(it => !it.isClaimed);
    return candidates.find(it => it.record.delivery.destination === endpoint) ?? candidates[0];
  }

  private endpointOf(subscriptionArn: string | undefined): string | undefined {
    const found = this.evidence.inventory.subscriptions.find(it => it.arn === subscriptionArn);
    return found && toldOf(found.endpoint);
  }
}
