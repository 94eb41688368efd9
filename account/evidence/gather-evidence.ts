import { createHash } from 'node:crypto';
import type { Evidence, SampledMessage } from '../../diagnosis/causes/evidence';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { decodeMessage } from '../../policy/messages/decode-message';
import type { Connection } from '../connection/connection';
import type { HeldMessage } from '../messages/message-hold';
import { functionEvidence, mappingsOf } from './functions';
import { Gaps, topicLogs, type Window } from './logs';

/** Evidence of why the messages of a queue were dead-lettered. */
export interface Gathered {
  readonly evidence: Evidence;
  /** What could not be read, in sentences. */
  readonly gaps: readonly string[];
}

/** Decodes a message for the diagnosis. */
export function seenMessage(message: HeldMessage): SampledMessage {
  return { decoded: decodeMessage(message), bodyMd5: createHash('md5').update(message.body).digest('hex') };
}

/** Reads the logs, metrics and event source mappings that may say why messages of a queue were dead-lettered. */
export async function gatherEvidence(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  messages: readonly SampledMessage[],
  window: Window,
): Promise<Gathered> {
  const gaps = new Gaps();
  const movedFrom = new Set(messages.flatMap(({ decoded }) => decoded.message.movedFromArn ?? []));
  const mappings = await mappingsOf(aws, queueArn, inventory, movedFrom);
  const [logs, functions] = await Promise.all([
    topicLogs(aws, queueArn, inventory, window, gaps),
    functionEvidence(aws, queueArn, inventory, mappings, window, gaps),
  ]);
  const evidence = {
    queueArn,
    fromMs: window.fromMs,
    messages,
    inventory,
    topicLogs: logs,
    functions,
    mappings,
  };
  return { evidence, gaps: [...gaps.texts, ...(inventory.unseen ?? [])] };
}
