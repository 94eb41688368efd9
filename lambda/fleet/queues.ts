import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { NowMs } from '../../mover/aws/clock';
import { inBatches, messageReceiver } from '../../mover/aws/queue-messages';
import { QUEUE_BATCH_SIZE, QUEUE_LIMITS } from '../../policy/aws-limits';
import { groupOf } from '../../policy/fleet/endpoint';
import { messageText } from '../../policy/fleet/fleet-messages';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { failureLine } from '../shared/log';
import { changeVisibility, sendDeadLetter } from '../shared/queue-calls';
import type { DelayedDelivery, FleetPorts, FleetQueues, QueuedMessage } from './ports';

/** How often an entry of a batch is sent that SQS did not take. */
const TRIES = 3;

/** How long a count of the messages in flight is used. */
const IN_FLIGHT_TTL_MS = 10_000;

type Sent = { readonly delivery: DelayedDelivery; readonly body: string };

/** Batches of at most ten messages that SQS takes in one call: the size of all together has a limit too. */
function batchesOf(deliveries: readonly DelayedDelivery[]): readonly (readonly Sent[])[] {
  const batches: Sent[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const delivery of deliveries) {
    const body = messageText(delivery.delivery);
    const size = Buffer.byteLength(body);
    const last = batches.at(-1);
    if (last && last.length < QUEUE_BATCH_SIZE && bytes + size <= QUEUE_LIMITS.messageBytes.max) {
      last.push({ delivery, body });
      bytes += size;
    } else {
      batches.push([{ delivery, body }]);
      bytes = size;
    }
  }
  return batches;
}

/** @returns the entries that SQS did not take */
async function sendBatch(client: SQSClient, QueueUrl: string, batch: readonly Sent[], print: FleetPorts['print']) {
  const Entries = batch.map(({ delivery: { delivery, delaySeconds, group = groupOf(delivery) }, body }, index) => ({
    Id: String(index),
    MessageBody: body,
    MessageGroupId: group,
    ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
  }));
  try {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
  } catch (error) {
    print(failureLine('WARN', 'deliveries were not sent', error, { count: batch.length }));
    return batch;
  }
}

function queuedMessage({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }: Message, nowMs: number) {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    sentAtMs: Number(Attributes.SentTimestamp ?? nowMs),
    firstReceivedAtMs: Number(Attributes.ApproximateFirstReceiveTimestamp ?? nowMs),
  };
}

/** A message that Lambda received. */
export function queuedMessageOf(
  { messageId, receiptHandle, body, attributes }: SQSRecord,
  nowMs: number,
): QueuedMessage {
  return queuedMessage(
    { MessageId: messageId, ReceiptHandle: receiptHandle, Body: body, Attributes: { ...attributes } },
    nowMs,
  );
}

/** The queues of a fleet, over SQS. */
export function fleetQueues(
  client: SQSClient,
  settings: FleetSettings,
  { nowMs, print }: { readonly nowMs: NowMs; readonly print: FleetPorts['print'] },
): FleetQueues {
  const { eventsQueueUrl, deliveriesQueueUrl, deadLetterQueueUrl } = settings;
  const receive = messageReceiver(client, deliveriesQueueUrl);
  let inFlight = { count: 0, readAtMs: Number.NEGATIVE_INFINITY };
  return {
    sendDeliveries: async deliveries => {
      let left = deliveries;
      for (let attempt = 0; attempt < TRIES && left.length > 0; attempt += 1) {
        const failed = await Promise.all(batchesOf(left).map(it => sendBatch(client, deliveriesQueueUrl, it, print)));
        left = failed.flat().map(({ delivery }) => delivery);
      }
      return left;
    },
    sendEvent: async event => {
      await client.send(new SendMessageCommand({ QueueUrl: eventsQueueUrl, MessageBody: messageText(event) }));
    },
    sendDeadLetter: ({ body, attributes }) =>
      sendDeadLetter(client, { QueueUrl: deadLetterQueueUrl, MessageBody: body }, attributes),
    receive: async max => (await receive({ max, waitSeconds: 0 })).map(message => queuedMessage(message, nowMs())),
    remove: async messages => {
      let left = 0;
      await inBatches(messages, async batch => {
        const Entries = batch.map(({ receiptHandle: ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        try {
          const { Failed = [] } = await client.send(
            new DeleteMessageBatchCommand({ QueueUrl: deliveriesQueueUrl, Entries }),
          );
          left += Failed.length;
          if (Failed.length > 0) print({ level: 'WARN', message: 'messages were not deleted', failed: Failed });
        } catch (error) {
          left += batch.length;
          print(failureLine('WARN', 'messages were not deleted', error, { count: batch.length }));
        }
      });
      return left;
    },
    hide: async hidden => {
      const changes = hidden.map(({ message, seconds }) => ({ ...message, seconds }));
      const failed = await changeVisibility(client, deliveriesQueueUrl, changes);
      if (failed.size > 0)
        print({ level: 'WARN', message: 'messages were not hidden', failed: Object.fromEntries(failed) });
      return failed.size;
    },
    inFlight: async () => {
      if (nowMs() - inFlight.readAtMs < IN_FLIGHT_TTL_MS) return inFlight.count;
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible'] as const;
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: deliveriesQueueUrl, AttributeNames: [...AttributeNames] }),
      );
      inFlight = { count: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0), readAtMs: nowMs() };
      return inFlight.count;
    },
  };
}
