import { connected } from '../../../account/connection/connection';
import { type ListedQueue, type QueueList, readList } from '../../../account/inventory/dead-letter-queues';
import type { Site } from '../../../account/printed-commands';
import type { QueueFeeder } from '../../../diagnosis/inventory/feeders';
import { isoInstant } from '../../../policy/instants';
import { knownValue } from '../../../template/maybe-known';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import { depthsDocument, findingDocument, taskDocument } from '../../shared/json-documents';
import { warn, writeJson } from '../../shared/print';
import { withProgress } from '../../shared/progress';
import { folded, paintFor } from '../../shared/terminal-text';
import { listText } from './list-text';

/**
 * `dlo dlq ls`.
 * @throws BadInput when the stack does not exist
 */
export async function listQueues(options: ListOptions, { io, nowMs }: CommandContext): Promise<void> {
  await connected(options, async aws => {
    const list = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
      readList(aws, options.stack, progress, nowMs),
    );
    warn(io, list.unseen);
    if (options.json) writeJson(io, listDocument(list, { options, region: aws.region }));
    else io.stdout.write(folded(listText(list, options.stack, nowMs(), paintFor(io.stdout.isTTY)), io.stdout));
  });
}

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

/** The list for `--json`. `null` is unknown, or does not exist. */
export function listDocument({ region, queues, unseen }: QueueList, site: Site) {
  return { region, unread: unseen, queues: queues.map(it => listedDocument(it, site)) };
}

export interface ListOptions extends CommandOptions {
  readonly stack?: string;
}
