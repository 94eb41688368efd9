import type { QueueFeeder } from '../../diagnosis/inventory/feeders';
import { urgencyOf } from '../../diagnosis/inventory/queue-urgency';
import { isoInstant } from '../../policy/instants';
import { knownValue } from '../../template/maybe-known';
import { type ListedQueue, urgencyFactsOf } from '../inventory/dead-letter-queues';
import { GROWTH_MINUTES } from '../inventory/queue-history';
import type { Site } from '../printed-commands';
import { depthsDocument, findingDocument, taskDocument } from './json-documents';

/** A feeder for `--json`. */
function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

/** A dead-letter queue for `--json`. `null` is unknown, or does not exist. */
export function listedDocument(listed: ListedQueue, site: Site, nowMs: number) {
  const { arn, name, queue, location, depth, heldSinceMs, growth, expiry, ...rest } = listed;
  return {
    name,
    arn,
    url: queue?.url ?? null,
    isFifo: name.endsWith('.fifo'),
    location: location.kind,
    retentionSeconds: (queue && knownValue(queue.retentionSeconds)) ?? null,
    depths: depth ? depthsDocument(depth) : null,
    urgency: urgencyOf(urgencyFactsOf(listed), nowMs),
    growth: growth === undefined ? null : { messages: growth, minutes: GROWTH_MINUTES },
    oldestSince: heldSinceMs === undefined ? null : isoInstant(heldSinceMs),
    firstExpires: expiry ? { earliest: isoInstant(expiry.earliestMs), latest: isoInstant(expiry.latestMs) } : null,
    feeders: rest.feeders.map(feederDocument),
    tasks: knownValue(rest.moves)?.map(taskDocument) ?? null,
    findings: rest.findings.map(it => findingDocument(it, site)),
  };
}
