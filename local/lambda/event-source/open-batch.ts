import type { Message } from '@aws-sdk/client-sqs';
import { messageBytes } from './sqs-event';

/** An event may have 6 MB, the members around the messages included. */
const MOST_BYTES = 6 * 1024 * 1024 - 1024;

/** Cuts messages into batches that fit into an event each, in their order. */
export function batchesThatFit(messages: readonly Message[]): readonly (readonly Message[])[] {
  const batches: Message[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const more = messageBytes(message);
    bytes += more;
    if (bytes > MOST_BYTES) {
      batches.push([]);
      bytes = more;
    }
    batches.at(-1)?.push(message);
  }
  return batches;
}
