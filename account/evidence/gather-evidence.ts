import { createHash } from 'node:crypto';
import type { DlqContext } from '../../bin/dlq/command';
import { interruptOf, lookProgress } from '../../bin/dlq/looking';
import type { WhyOptions } from '../../bin/dlq/why/command';
import { cleared, withProgress } from '../../bin/progress';
import type { Evidence, SampledMessage } from '../../diagnosis/causes/evidence';
import { decodeMessage } from '../../policy/messages/decode-message';
import type { Connection } from '../connection/connection';
import { readInventory } from '../inventory/read-inventory';
import { type Depths, depthsIn, eachMessage, type Look, messagePorts } from '../messages/each-message';
import type { HeldMessage } from '../messages/message-hold';
import type { NamedQueue } from '../messages/named-queue';
import { functionEvidence, mappingsOf } from './functions';
import { Gaps, topicLogs, type Window } from './logs';

/** What was gathered of a queue, and how much of it was seen. */
export interface Gathered {
  readonly queue: NamedQueue;
  readonly evidence: Evidence;
  readonly window: Window;
  /** Before it was looked at. */
  readonly depths: Depths;
  readonly look: Look;
  /** What could not be read, in sentences. */
  readonly gaps: readonly string[];
}

function seenMessage(message: HeldMessage): SampledMessage {
  return { decoded: decodeMessage(message), bodyMd5: createHash('md5').update(message.body).digest('hex') };
}

async function messagesOf(aws: Connection, queue: NamedQueue, { number }: WhyOptions, world: DlqContext) {
  const { io, nowMs } = world;
  const messages: SampledMessage[] = [];
  const depths = depthsIn(queue.attributes);
  const progress = lookProgress(io, 'letters received', Math.min(number, depths.visible), nowMs);
  const interrupt = interruptOf(io);
  const looking = { most: number, isOver: () => interrupt.isAsked, progress: progress.at };
  return cleared(progress, async () => {
    const look = await eachMessage(messagePorts(aws, queue, world, progress.clear), looking, received => {
      messages.push(...received.map(seenMessage));
    });
    return { messages, look, depths };
  });
}

/** Gathers what whoever knows says of a queue's letters. */
export async function gather(
  aws: Connection,
  queue: NamedQueue,
  options: WhyOptions,
  world: DlqContext,
): Promise<Gathered> {
  const { io, nowMs } = world;
  const inventory = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
    readInventory(aws, { progress }),
  );
  const { messages, look, depths } = await messagesOf(aws, queue, options, world);
  const toMs = nowMs();
  const window = { fromMs: toMs - options.since, toMs };
  const gaps = new Gaps();
  const movedFrom = new Set(messages.flatMap(({ decoded }) => decoded.message.movedFromArn ?? []));
  const mappings = await mappingsOf(aws, queue.arn, inventory, movedFrom);
  const [logs, functions] = await Promise.all([
    topicLogs(aws, queue.arn, inventory, window, gaps),
    functionEvidence(aws, queue.arn, inventory, mappings, window, gaps),
  ]);
  const evidence = {
    queueArn: queue.arn,
    fromMs: window.fromMs,
    messages,
    inventory,
    topicLogs: logs,
    functions,
    mappings,
  };
  return { queue, evidence, window, depths, look, gaps: [...gaps.texts, ...(inventory.unseen ?? [])] };
}
