import type { Finding } from '../../../lib/policy/checks/finding';
import type { QueueFeeder } from '../../../lib/policy/inventory/feeders';
import { toldOf } from '../../../lib/policy/inventory/told';
import type { MoveFacts } from '../../../lib/policy/redrive/redrive-facts';
import { isoInstant } from '../../../local';
import type { ListedQueue } from './listed-queue';
import type { QueueList } from './read-list';

function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

function moveDocument({ status, startedAtMs, moved, toMove, destinationArn, messagesPerSecond }: MoveFacts) {
  return {
    status,
    startedAt: isoInstant(startedAtMs),
    moved,
    toMove: toMove ?? null,
    destinationArn: destinationArn ?? null,
    messagesPerSecond: messagesPerSecond ?? null,
  };
}

function findingDocument({ id, severity, resource, says, fix }: Finding) {
  return { id, severity, resource: resource.name, says, fix: fix.says };
}

function queueDocument({ arn, name, queue, whereabouts, depth, heldSinceMs, expiry, ...rest }: ListedQueue) {
  return {
    name,
    arn,
    url: queue?.url ?? null,
    isFifo: name.endsWith('.fifo'),
    whereabouts: whereabouts.kind,
    retentionSeconds: (queue && toldOf(queue.retentionSeconds)) ?? null,
    depth: depth ?? null,
    oldestSince: heldSinceMs === undefined ? null : isoInstant(heldSinceMs),
    firstExpires: expiry ? { earliest: isoInstant(expiry.earliestMs), latest: isoInstant(expiry.latestMs) } : null,
    feeders: rest.feeders.map(feederDocument),
    moves: rest.moves.map(moveDocument),
    missing: rest.findings.map(findingDocument),
  };
}

/** The list as `--json` prints it; `null` is what is not known, or not there. */
export function listDocument({ region, queues, unseen }: QueueList) {
  return { region, unseen, queues: queues.map(queueDocument) };
}
