import type { TracedAwsEvent } from '../../../local';

/** What happened to the messages of a relay's topic. Each is counted once. */
export interface RelayBooks {
  readonly published: number;
  /** Accepted by the endpoint. */
  readonly delivered: number;
  /** Only in the dead-letter queue, by cause. */
  readonly dead: Readonly<Record<string, number>>;
  /** Only in the relay's queue. */
  readonly queued: number;
  /** In no queue and not processed. */
  readonly lost: number;
  /** How often the endpoint accepted a message again. */
  readonly repeated: number;
  /** How many delivered messages are also dead letters. */
  readonly deliveredAndDead: number;
}

interface Places {
  readonly topicArn: string;
  readonly queueArn: string;
}

/** The result of a relay that lost no message, repeated none, and has none left. */
export function closedBooks(delivered: number, dead: Readonly<Record<string, number>> = {}): RelayBooks {
  const published = delivered + Object.values(dead).reduce((sum, count) => sum + count, 0);
  return { published, delivered, dead, queued: 0, lost: 0, repeated: 0, deliveredAndDead: 0 };
}

/** Returns the SNS message ids in the queue. Messages that were sent directly have none. */
function queuedIds(happenings: readonly TracedAwsEvent[], queueArn: string): ReadonlySet<string> {
  const subscriptions = new Set<string>();
  const snsIds = new Map<string, string>();
  let newest = '';
  for (const happening of happenings) {
    switch (happening.type) {
      case 'sns.subscribed':
        if (happening.endpoint === queueArn) subscriptions.add(happening.subscriptionArn);
        break;
      case 'sqs.sent':
        if (happening.queueArn === queueArn) newest = happening.messageId;
        break;
      case 'sns.delivered':
        // SNS sends a message and then writes its trace event, with no other event between them.
        if (subscriptions.has(happening.subscriptionArn)) snsIds.set(newest, happening.messageId);
        break;
      case 'sqs.deleted':
      case 'sqs.dead-lettered':
      case 'sqs.expired':
        if (happening.queueArn === queueArn) snsIds.delete(happening.messageId);
    }
  }
  return new Set(snsIds.values());
}

/**
 * Computes the result from observations outside the relay: the trace, the endpoint, and the dead-letter queue.
 *
 * @param taken the messages that the endpoint accepted
 * @param dead the cause of each dead letter, by SNS message id
 */
export function relayBooks(
  happenings: readonly TracedAwsEvent[],
  { topicArn, queueArn }: Places,
  taken: readonly { readonly messageId: string }[],
  dead: ReadonlyMap<string, string>,
): RelayBooks {
  const published = happenings.filter(it => it.type === 'sns.published').filter(it => it.topicArn === topicArn);
  const takenIds = new Set(taken.map(({ messageId }) => messageId));
  const inQueue = queuedIds(happenings, queueArn);
  const byCause: Record<string, number> = {};
  let [delivered, queued, lost, deliveredAndDead] = [0, 0, 0, 0];
  for (const { messageId } of published) {
    const cause = dead.get(messageId);
    if (takenIds.has(messageId)) {
      delivered += 1;
      if (cause !== undefined) deliveredAndDead += 1;
    } else if (cause !== undefined) byCause[cause] = (byCause[cause] ?? 0) + 1;
    else if (inQueue.has(messageId)) queued += 1;
    else lost += 1;
  }
  const repeated = taken.length - takenIds.size;
  return { published: published.length, delivered, dead: byCause, queued, lost, repeated, deliveredAndDead };
}
