import type { TracedAwsEvent } from '../../../local';

/** What became of the messages of a relay's topic, each counted once. */
export interface RelayBooks {
  readonly published: number;
  /** The endpoint took them. */
  readonly delivered: number;
  /** The endpoint has them not, the dead-letter queue has: by the cause. */
  readonly dead: Readonly<Record<string, number>>;
  /** Neither has them yet, and the relay's queue has. */
  readonly queued: number;
  /** Nobody has them. */
  readonly lost: number;
  /** How often the endpoint took what it had already. */
  readonly repeated: number;
  /** Of those delivered, how many are dead letters as well. */
  readonly deliveredAndDead: number;
}

interface Places {
  readonly topicArn: string;
  readonly queueArn: string;
}

/** The books of a relay that lost nothing, twice took nothing, and has nothing left to do. */
export function closedBooks(delivered: number, dead: Readonly<Record<string, number>> = {}): RelayBooks {
  const published = delivered + Object.values(dead).reduce((sum, count) => sum + count, 0);
  return { published, delivered, dead, queued: 0, lost: 0, repeated: 0, deliveredAndDead: 0 };
}

/** The ids of the messages of SNS that are in the queue. What is sent to it otherwise has none. */
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
 * Draws up the books from what others than the relay have seen: the trace, the endpoint, and who reads the dead letters.
 *
 * @param taken what the endpoint took
 * @param dead why each dead letter is one, by its SNS message id
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
