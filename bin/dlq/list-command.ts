import { Command } from 'commander';
import { connected } from '../../account/connection/connection';
import { type ListedQueue, type QueueList, readList, urgencyFactsOf } from '../../account/inventory/dead-letter-queues';
import { GROWTH_MINUTES } from '../../account/inventory/queue-history';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import type { Site } from '../../account/printed-commands';
import type { QueueFeeder } from '../../diagnosis/inventory/feeders';
import { urgencyOf } from '../../diagnosis/inventory/queue-urgency';
import { isoInstant } from '../../policy/instants';
import { knownValue } from '../../template/maybe-known';
import { addConnectionOptions, type CommandContext, type CommandOptions, EXIT_CODES } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import type { Io } from '../shared/io';
import { depthsDocument, findingDocument, taskDocument } from '../shared/json-documents';
import { warn, writeJson } from '../shared/print';
import { withProgress } from '../shared/progress';
import { folded, paintFor } from '../shared/terminal-text';
import { type ListPage, listText } from './list-text';

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...INVENTORY_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
A dead-letter queue is any queue that a subscription, queue, function, event source mapping, rule or schedule names as one.
First come queues that lose a message within a day, then those that have grown in the last 30 minutes, then those that may lose
one within a day, then those with the most messages. A queue that is named but does not exist is listed too: messages sent to it
are lost. So is a queue that looks like a dead-letter queue, by its name or its redrive-allow policy, and holds messages although
nothing feeds it any more.

In a terminal, names that CloudFormation made are shown without stack, hash and suffix, if that is unambiguous. Every command
accepts these short names. A narrow terminal shows fewer columns.

A standard queue keeps a message from when it was first sent, but CloudWatch counts its age from when SQS moved it. If both
are possible, the time until the first message expires is a range. CloudWatch may ignore messages that were received three
times or more: dlo dlq peek shows each message.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --json | jq -r '.queues[] | select(.depths.visible > 0).name'

${permissionsText(LIST_PERMISSIONS)}

${EXIT_CODES}`;

/** `dlo dlq ls`. */
export function listCommand(context: CommandContext): Command {
  return addConnectionOptions(new Command('ls'))
    .description(
      'list the dead-letter queues with messages, the most urgent first: what feeds them, when messages expire',
    )
    .option('--stack <name>', 'only resources of this stack and its nested stacks')
    .option('--all', 'list empty queues and every finding too')
    .option('--full-names', 'do not shorten names that CloudFormation made (default: only in a terminal)')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => listQueues(options, context));
}

interface ListOptions extends CommandOptions {
  readonly stack?: string;
  readonly all?: boolean;
  readonly fullNames?: boolean;
}

/**
 * `dlo dlq ls`.
 * @throws BadInput when the stack does not exist
 */
async function listQueues(options: ListOptions, { io, nowMs }: CommandContext): Promise<void> {
  await connected(options, async aws => {
    const list = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
      readList(aws, options.stack, progress, nowMs),
    );
    warn(io, list.unseen);
    const site = { options, region: aws.region };
    const atMs = nowMs();
    if (options.json) writeJson(io, listDocument(list, site, atMs));
    else io.stdout.write(folded(listText(list, pageOf(options, site, atMs, io)), io.stdout));
  });
}

/** Names are short where the width is limited. Scripts that read a pipe need them as they are. */
function pageOf({ stack, all = false, fullNames }: ListOptions, site: Site, nowMs: number, { stdout }: Io): ListPage {
  const width = stdout.columns;
  return {
    isAll: all,
    hasFullNames: fullNames ?? width === undefined,
    nowMs,
    paint: paintFor(stdout),
    site,
    ...(stack !== undefined && { stack }),
    ...(width !== undefined && { width }),
  };
}

function feederDocument({ kind, resource, via, qualifier }: QueueFeeder) {
  return { kind, name: resource.name, arn: resource.arn, via, qualifier: qualifier ?? null };
}

function listedDocument(listed: ListedQueue, site: Site, nowMs: number) {
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
    tasks: rest.moves.map(taskDocument),
    findings: rest.findings.map(it => findingDocument(it, site)),
  };
}

/** The list for `--json`. `null` is unknown, or does not exist. */
function listDocument({ region, queues, unseen }: QueueList, site: Site, nowMs: number) {
  return { region, unread: unseen, queues: queues.map(it => listedDocument(it, site, nowMs)) };
}
