import { isoInstant } from '../../local';
import { parseArn } from '../../policy/arn';
import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import type { NamedQueue } from './the-queue';

/** A queue as `--json` names it, and its Region. */
export function queueDocument({ name, arn, url }: Pick<NamedQueue, 'name' | 'arn' | 'url'>) {
  return { region: parseArn(arn)?.region ?? null, queue: { name, arn, url } };
}

/** How many letters are in a queue, as `--json` prints it. */
export function depthsDocument({ visible, inFlight, delayed }: QueueDepth) {
  return { visible, inFlight, delayed };
}

/** A task of SQS that moves letters, as `--json` prints it; `null` is what SQS does not tell, or what is not there. */
export function taskDocument({ status, startedAtMs, moved, handle, ...rest }: MoveFacts) {
  const { toMove, destinationArn, messagesPerSecond, failureReason } = rest;
  return {
    startedAt: isoInstant(startedAtMs),
    status,
    moved,
    toMove: toMove ?? null,
    destinationArn: destinationArn ?? null,
    messagesPerSecond: messagesPerSecond ?? null,
    failureReason: failureReason ?? null,
    isRunning: handle !== undefined,
  };
}
