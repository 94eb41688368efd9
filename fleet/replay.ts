import { groupOf } from '../policy/fleet/endpoint';
import { type Delivery, messageText, readDelivery } from '../policy/fleet/fleet-messages';
import type { FleetSettings } from '../policy/fleet/fleet-settings';
import type { Attempt } from './attempts';
import type { QueueMessage, SqsCalls } from './aws-calls';
import type { Replayed } from './client-options';

/** How long dead letters are hidden while others are looked at. */
const HIDDEN_SECONDS = 300;

export interface ReplayPorts {
  readonly sqs: SqsCalls;
  readonly settings: FleetSettings;
  readonly nowMs: () => number;
  /** See `Machine`. */
  readonly pollSeconds: number;
}

/** Which messages to send again, and how many to look at. */
export interface Selection {
  isWanted(delivery: Pick<Delivery, 'id' | 'tenant' | 'endpoint' | 'sentAtMs' | 'data'>): boolean;
  readonly mostLookedAt: number;
}

/** Sends a delivery with all of its attempts and all of its time. */
export async function sendDelivery(delivery: Delivery, { sqs, settings }: ReplayPorts): Promise<void> {
  await sqs.sendMessage({
    QueueUrl: settings.deliveriesQueueUrl,
    MessageBody: messageText(delivery),
    MessageGroupId: groupOf(delivery),
  });
}

/**
 * Moves dead letters back to the deliveries queue. A queue cannot be searched, so all are received; those that stay are visible again at
 * the end. Each message is sent before it is deleted, and only once: one that its endpoint refuses again soon is back before the end.
 */
export async function replayDeadLetters({ isWanted, mostLookedAt }: Selection, ports: ReplayPorts): Promise<Replayed> {
  const { sqs, settings, nowMs, pollSeconds: WaitTimeSeconds } = ports;
  const QueueUrl = settings.deadLetterQueueUrl;
  const seen = new Set<string | undefined>();
  const staying: string[] = [];
  const deliveries = new Set<string>();
  const handle = async ({ MessageId, Body = '', ReceiptHandle = '' }: QueueMessage) => {
    const delivery = seen.has(MessageId) ? undefined : readDelivery(Body);
    seen.add(MessageId);
    if (!delivery || deliveries.has(delivery.id) || !isWanted(delivery)) {
      staying.push(ReceiptHandle);
      return;
    }
    deliveries.add(delivery.id);
    // SQS itself may have moved a probe here. A replay is also for an endpoint that was removed by mistake and added again.
    const { probeDueAtMs: _, returnedDueAtMs: __, waits: ___, endpointCreatedAtMs: ____, ...again } = delivery;
    await sendDelivery({ ...again, attempts: 0, sentAtMs: nowMs() }, ports);
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
  };
  let isComplete = false;
  try {
    while (!isComplete && seen.size < mostLookedAt) {
      const before = seen.size;
      const MaxNumberOfMessages = Math.min(10, mostLookedAt - before);
      const request = { QueueUrl, MaxNumberOfMessages, VisibilityTimeout: HIDDEN_SECONDS, WaitTimeSeconds };
      const { Messages = [] } = await sqs.receiveMessage(request);
      await Promise.all(Messages.map(handle));
      // Messages come back when they were hidden for long enough: then all were seen.
      isComplete = seen.size === before;
    }
  } finally {
    await show(staying, QueueUrl, sqs);
  }
  return { deliveries: [...deliveries], lookedAt: seen.size, isComplete };
}

/** What SQS says of a message that another reader has deleted, or that is visible again. */
const NOT_HIDDEN = /MessageNotInflight|does not exist or is not available/;

async function show(handles: readonly string[], QueueUrl: string, sqs: SqsCalls): Promise<void> {
  const showOne = async (ReceiptHandle: string) => {
    try {
      await sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    } catch (error) {
      if (!NOT_HIDDEN.test(String(error))) throw error;
    }
  };
  for (let from = 0; from < handles.length; from += 10) {
    await Promise.all(handles.slice(from, from + 10).map(showOne));
  }
}

/** Sends messages of logged attempts again, each once. */
export async function replayLogged(
  attempts: AsyncIterable<Attempt>,
  { isWanted, mostLookedAt }: Selection,
  ports: ReplayPorts,
): Promise<Replayed> {
  const deliveries = new Set<string>();
  let lookedAt = 0;
  for await (const { deliveryId: id, tenant, endpoint, eventId, type, data, atMs, ...attempt } of attempts) {
    if (lookedAt === mostLookedAt) return { deliveries: [...deliveries], lookedAt, isComplete: false };
    lookedAt += 1;
    const isNew = data !== undefined && !deliveries.has(id);
    if (!isNew || !isWanted({ id, tenant, endpoint, sentAtMs: attempt.sentAtMs ?? atMs, data })) continue;
    await sendDelivery({ id, tenant, endpoint, eventId, type, data, sentAtMs: ports.nowMs(), attempts: 0 }, ports);
    deliveries.add(id);
  }
  return { deliveries: [...deliveries], lookedAt, isComplete: true };
}
