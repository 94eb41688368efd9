import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type PlaceChoice,
  placesOf,
  readPlaces,
  type UnreadPlaces,
  unreadPlaces,
} from '../../account/connection/places';
import { listedDocument } from '../../account/documents/json-documents';
import {
  type ListedQueue,
  mostUrgentFirst,
  type QueueList,
  readList,
} from '../../account/inventory/dead-letter-queues';
import { LIST_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import type { Site } from '../../account/printed-commands';
import { type CommandContext, type CommandOptions, regionOf, roleOf } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { withReadProgress } from '../shared/progress';
import { folded, paintFor } from '../shared/terminal-text';
import { clockFor, reportSkew, reportUnknowns, withAws } from '../shared/with-aws';
import { listText } from './list-text';
import { messagesCommand } from './queue-command';

export const LIST_PERMISSIONS: CommandPermissions = {
  command: 'dlq ls',
  reads: [...LIST_READS, 'sqs:ListMessageMoveTasks', 'cloudwatch:GetMetricData'],
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

--profiles, --roles and --regions read several accounts and Regions into one table. What cannot be read is said, the others are
shown, and the exit code is 1. A Region that an account has not enabled is said too, and is no failure.

A standard queue keeps a message from when it was first sent, but CloudWatch counts its age from when SQS moved it. If both
are possible, the time until the first message expires is a range. CloudWatch may ignore messages that were received three
times or more: dlo dlq peek shows each message.

  dlo dlq ls --region eu-central-1
  dlo dlq ls --stack Orders
  dlo dlq ls --profiles shop,warehouse --regions all
  dlo dlq ls --json | jq -r '.queues[] | select(.depths.visible > 0).name'`;

function namesOf(text: string): readonly string[] {
  const names = text.split(',').map(it => it.trim());
  if (names.every(it => it !== '')) return [...new Set(names)];
  throw new InvalidArgumentError('It must be names with commas between them, for example one,other.');
}

function rolesOf(text: string): readonly string[] {
  return namesOf(text).map(roleOf);
}

function regionsOf(text: string): readonly string[] | 'all' {
  return text === 'all' ? 'all' : namesOf(text).map(regionOf);
}

/** `dlo dlq ls`. */
export function listCommand(context: CommandContext): Command {
  const does =
    'list the dead-letter queues with messages, the most urgent first: what feeds them, when messages expire';
  return messagesCommand(LIST_PERMISSIONS, does, HELP)
    .option('--stack <name>', 'only resources of this stack and its nested stacks')
    .addOption(
      new Option('--profiles <names>', 'profiles of several accounts, with commas')
        .argParser(namesOf)
        .conflicts('profile'),
    )
    .addOption(
      new Option('--roles <arns>', 'roles of several accounts to assume, with commas')
        .argParser(rolesOf)
        .conflicts('roleArn'),
    )
    .addOption(
      new Option('--regions <regions>', 'several Regions, with commas, or all')
        .argParser(regionsOf)
        .conflicts('region'),
    )
    .option('--all', 'list empty queues and every finding too')
    .option('--full-names', 'do not shorten names that CloudFormation made (default: only in a terminal)')
    .option('--json', 'print the list as JSON')
    .action(async (options: ListOptions) => listQueues(options, context));
}

interface ListOptions extends CommandOptions, PlaceChoice {
  readonly stack?: string;
  readonly all?: boolean;
  readonly fullNames?: boolean;
}

/**
 * `dlo dlq ls`.
 * @throws BadInput when the stack does not exist
 */
async function listQueues(options: ListOptions, context: CommandContext): Promise<void> {
  if (options.profiles ?? options.regions ?? options.roles) return listPlaces(options, context);
  await withAws(options, context, async aws => {
    const list = await withReadProgress(context, readWith =>
      readList(aws, options.stack, readWith(aws), context.nowMs),
    );
    printLists([{ list, site: { options, region: aws.region } }], options, context);
  });
}

interface PlaceList {
  readonly list: QueueList;
  readonly site: Site;
}

/** Reads several accounts and Regions. What cannot be read is said, and the others are shown. */
async function listPlaces(options: ListOptions, context: CommandContext): Promise<void> {
  const { io, nowMs } = context;
  const places = await placesOf(options);
  const clock = await clockFor(options, context);
  const reads = await withReadProgress(context, readWith =>
    readPlaces(
      places,
      async (aws, at): Promise<PlaceList> => {
        const list = await readList(aws, options.stack, readWith(aws), nowMs);
        return { list, site: { options: at, region: aws.region } };
      },
      clock,
    ),
  );
  const unread = unreadPlaces(reads);
  warn(io, unread.map(unreadText));
  const lists = distinct(reads.flatMap(({ value }) => value ?? []));
  if (lists.length === 0) throw new Error('no account or Region could be read');
  printLists(lists, options, context, unread);
  reportUnknowns(io, unknownsOf(lists));
  reportSkew(context);
  if (unread.some(({ isNotEnabled }) => !isNotEnabled)) throw new Error('not all accounts and Regions could be read');
}

/** What could not be read of all places. */
function unknownsOf(lists: readonly PlaceList[]) {
  return {
    all: lists.flatMap(({ list }) => list.unknowns.all),
    texts: lists.flatMap(({ list }) => list.unseen.map(text => `${list.account} ${list.region}: ${text}`)),
  };
}

/** Two profiles can be of the same account. */
function distinct(lists: readonly PlaceList[]): readonly PlaceList[] {
  const places = new Map(lists.map(it => [`${it.list.account} ${it.list.region}`, it]));
  return [...places.values()];
}

function unreadText({ identity, regions, says }: UnreadPlaces): string {
  return `${identity}${regions.length === 0 ? '' : ` in ${regions.join(', ')}`} cannot be read: ${says}`;
}

function printLists(
  lists: readonly PlaceList[],
  options: ListOptions,
  { io, nowMs }: CommandContext,
  unread: readonly UnreadPlaces[] = [],
): void {
  const atMs = nowMs();
  const sites = new Map(lists.flatMap(({ list, site }) => list.queues.map(queue => [queue, site] as const)));
  const siteOf = (queue: ListedQueue): Site => sites.get(queue) ?? { options };
  const queues = mostUrgentFirst([...sites.keys()], atMs);
  if (options.json) {
    const places = lists.map(({ list, site }) => placeDocument(list, site));
    writeJson(io, {
      region: lists.length === 1 ? places[0]?.region : null,
      unread: lists.flatMap(({ list }) => list.unseen),
      ...mayLackOf(lists),
      places,
      unreadPlaces: unread.map(({ identity, regions, says }) => ({ identity, regions, says })),
      queues: queues.map(it => listedDocument(it, siteOf(it), atMs)),
    });
    return;
  }
  const [first] = lists;
  const region = first && lists.length === 1 ? first.list.region : 'the accounts and Regions that were read';
  const page = { ...pageOf(options, atMs, io), hasPlaces: lists.length + unread.length > 1, siteOf };
  io.stdout.write(folded(listText({ region, queues, ...mayLackOf(lists) }, page), io.stdout));
}

function mayLackOf(lists: readonly PlaceList[]) {
  return {
    mayLackFeeders: lists.some(({ list }) => list.mayLackFeeders),
    mayLackFindings: lists.some(({ list }) => list.mayLackFindings),
  };
}

/** Names are short where the width is limited. Scripts that read a pipe need them as they are. */
function pageOf({ stack, all = false, fullNames }: ListOptions, nowMs: number, { stdout }: Io) {
  const width = stdout.columns;
  return {
    isAll: all,
    hasFullNames: fullNames ?? width === undefined,
    nowMs,
    paint: paintFor(stdout),
    ...(stack !== undefined && { stack }),
    ...(width !== undefined && { width }),
  };
}

function placeDocument({ account, region, unseen }: QueueList, { options: { profile, roleArn } }: Site) {
  return { account: account ?? null, region, profile: profile ?? null, roleArn: roleArn ?? null, unread: unseen };
}
