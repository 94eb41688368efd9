import type { Site } from '../../../account/connection/printed-commands';
import type { QueueFeeder } from '../../../diagnosis/inventory/feeders';
import { isoInstant } from '../../../local';
import { knownValue } from '../../../template/told';
import { findingDocument } from '../../fix-document';
import { depthsDocument, taskDocument } from '../documents';
import type { ListedQueue } from './listed-queue';
import type { QueueList } from './read-list';

function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

function listedDocument(
  { arn, name, queue, whereabouts, depth, heldSinceMs, expiry, ...rest }: ListedQueue,
  site: Site,
) {
  return {
    name,
    arn,
    url: queue?.url ?? null,
    isFifo: name.endsWith('.fifo'),
    whereabouts: whereabouts.kind,
    retentionSeconds: (queue && knownValue(queue.retentionSeconds)) ?? null,
    depths: depth ? depthsDocument(depth) : null,
    oldestSince: heldSinceMs === undefined ? null : isoInstant(heldSinceMs),
    firstExpires: expiry ? { earliest: isoInstant(expiry.earliestMs), latest: isoInstant(expiry.latestMs) } : null,
    feeders: rest.feeders.map(feederDocument),
    tasks: rest.moves.map(taskDocument),
    findings: rest.findings.map(it => findingDocument(it, site)),
  };
}

/** The list as `--json` prints it; `null` is what is not known, or not there. */
export function listDocument({ region, queues, unseen }: QueueList, site: Site) {
  return { region, unread: unseen, queues: queues.map(it => listedDocument(it, site)) };
}
