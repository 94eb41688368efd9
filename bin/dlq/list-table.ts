import { type ListedQueue, messagesOf, urgencyFactsOf } from '../../account/inventory/dead-letter-queues';
import { GROWTH_MINUTES } from '../../account/inventory/queue-history';
import type { QueueFeeder } from '../../diagnosis/inventory/feeders';
import { urgencyOf } from '../../diagnosis/inventory/queue-expiry';
import { shortenedText } from '../../diagnosis/inventory/short-names';
import { parseArn } from '../../policy/arn';
import { andMore, formatNumber, messagesText, roughDuration } from '../../policy/format-text';
import { type Column, foreignText, type Paint, table } from '../shared/terminal-text';

export interface TableLayout {
  readonly nowMs: number;
  readonly paint: Paint;
  /** Of the terminal. @default - unlimited, for files and pipes */
  readonly width?: number;
  nameOf(queue: ListedQueue): string;
  /** Whether names of feeders are shown as CloudFormation made them. */
  readonly hasFullNames: boolean;
  /** Whether the queues are of several accounts or Regions. */
  readonly hasPlaces: boolean;
}

/** Stands for an unknown value. */
export const UNKNOWN = '?';

/** A column of feeders is useful from this width on. */
const LEAST_FEEDERS = 24;

/** The longest name of a feeder in a line. */
const MOST_FEEDER_CHARACTERS = 60;

const KINDS: Readonly<Record<QueueFeeder['kind'], string>> = {
  subscription: 'subscription',
  queue: 'queue',
  function: 'function',
  destination: 'failures of',
  mapping: 'mapping',
  rule: 'rule',
  schedule: 'schedule',
};

/** `subscription orders to work`. */
export function feederText({ kind, resource, qualifier }: QueueFeeder, hasFullNames: boolean): string {
  const of = qualifier === undefined || qualifier === '$LATEST' ? '' : `:${qualifier}`;
  const name = hasFullNames ? resource.name : shortenedText(resource.name);
  return `${KINDS[kind]} ${foreignText(`${name}${of}`, MOST_FEEDER_CHARACTERS)}`;
}

/** The first feeder, and how many more there are. */
function feedersText({ feeders, fleetName }: ListedQueue, hasFullNames: boolean): string {
  if (fleetName !== undefined) return `fleet ${foreignText(fleetName, MOST_FEEDER_CHARACTERS)}`;
  if (feeders.length === 0) return 'nothing';
  return andMore(
    feeders.map(it => feederText(it, hasFullNames)),
    1,
  );
}

/** Stands for a missing value: unknown, or none because the queue is empty. */
function noValue(queue: ListedQueue): string {
  return queue.depth && messagesOf(queue) === 0 ? '-' : UNKNOWN;
}

function oldestText(queue: ListedQueue, nowMs: number): string {
  const { heldSinceMs } = queue;
  return heldSinceMs === undefined ? noValue(queue) : roughDuration(nowMs - heldSinceMs);
}

/** When the first message expires: `in 4 d`, `in 10 d to 14 d`, `at any moment, in 3 h at latest`. */
export function expiryText(queue: ListedQueue, nowMs: number): string {
  const { expiry } = queue;
  if (!expiry) return noValue(queue);
  const [earliest, latest] = [expiry.earliestMs, expiry.latestMs].map(atMs => roughDuration(atMs - nowMs));
  if (expiry.latestMs <= nowMs) return 'at any moment';
  if (expiry.earliestMs <= nowMs) return `at any moment, in ${latest} at latest`;
  return earliest === latest ? `in ${latest}` : `in ${earliest} to ${latest}`;
}

/** The largest unit of a time, rounded down: `9 d`. */
function largestUnit(milliseconds: number): string {
  return roughDuration(milliseconds).split(' ').slice(0, 2).join(' ');
}

/** The same in fewer characters: `9 d to 13 d`, `now to 3 h`. */
function briefExpiryText(queue: ListedQueue, nowMs: number): string {
  const { expiry } = queue;
  if (!expiry) return noValue(queue);
  const text = (atMs: number) => (atMs <= nowMs ? 'now' : largestUnit(atMs - nowMs));
  const [earliest, latest] = [expiry.earliestMs, expiry.latestMs].map(text);
  return earliest === latest ? String(latest) : `${earliest} to ${latest}`;
}

function growthText(queue: ListedQueue): string {
  const { growth } = queue;
  if (growth === undefined) return noValue(queue);
  return growth > 0 ? `+${formatNumber(growth)}` : formatNumber(growth);
}

type QueueColumn = Column<ListedQueue>;

function depthColumn(heading: string, of: 'visible' | 'inFlight' | 'delayed'): QueueColumn {
  return { heading, align: 'right', cell: ({ depth }) => (depth ? formatNumber(depth[of]) : UNKNOWN) };
}

const PLACE_COLUMNS: readonly QueueColumn[] = [
  { heading: 'ACCOUNT', align: 'left', cell: ({ arn }) => parseArn(arn)?.account ?? UNKNOWN },
  { heading: 'REGION', align: 'left', cell: ({ arn }) => parseArn(arn)?.region ?? UNKNOWN },
];

/** What a table leaves out where there is little room. */
interface Room {
  readonly isBrief: boolean;
  /** @default - no column */
  readonly feederCharacters?: number;
}

function columns(queues: readonly ListedQueue[], layout: TableLayout, room: Room): readonly QueueColumn[] {
  const { nowMs, nameOf, hasPlaces, hasFullNames } = layout;
  const { isBrief, feederCharacters } = room;
  const has = (of: 'inFlight' | 'delayed') => queues.some(({ depth }) => depth && depth[of] > 0);
  const expiry = isBrief ? briefExpiryText : expiryText;
  const fedBy = (queue: ListedQueue) => foreignText(feedersText(queue, hasFullNames), (feederCharacters ?? 0) - 1);
  return [
    { heading: 'QUEUE', align: 'left', cell: nameOf },
    ...(hasPlaces ? PLACE_COLUMNS : []),
    depthColumn('MESSAGES', 'visible'),
    ...(has('inFlight') ? [depthColumn('IN FLIGHT', 'inFlight')] : []),
    ...(has('delayed') ? [depthColumn('DELAYED', 'delayed')] : []),
    { heading: isBrief ? `${GROWTH_MINUTES} MIN` : `LAST ${GROWTH_MINUTES} MIN`, align: 'right', cell: growthText },
    { heading: 'OLDEST', align: 'left', cell: queue => oldestText(queue, nowMs) },
    { heading: isBrief ? 'EXPIRES' : 'FIRST EXPIRES', align: 'left', cell: queue => expiry(queue, nowMs) },
    ...(feederCharacters === undefined ? [] : [{ heading: 'FED BY', align: 'left', cell: fedBy } as const]),
  ];
}

const widthOf = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length));

/** The widest table that fits. Undefined if none does. */
function fittingTable(queues: readonly ListedQueue[], layout: TableLayout): readonly string[] | undefined {
  const { width = Number.POSITIVE_INFINITY } = layout;
  const tableIn = (room: Room) => table(columns(queues, layout, room), queues);
  const all = tableIn({ isBrief: false, feederCharacters: Number.POSITIVE_INFINITY });
  if (widthOf(all) <= width) return all;
  const brief = tableIn({ isBrief: true });
  const left = width - widthOf(brief) - 2;
  if (left >= LEAST_FEEDERS) return tableIn({ isBrief: true, feederCharacters: left });
  return left >= -2 ? brief : undefined;
}

/** A queue in a few lines, for a terminal that is too narrow for a table. */
function block(queue: ListedQueue, layout: TableLayout): readonly string[] {
  const { nowMs, nameOf, hasFullNames, hasPlaces } = layout;
  const { depth, growth, arn } = queue;
  const { account, region } = parseArn(arn) ?? {};
  const count = depth ? messagesText(depth.visible) : 'an unknown number of messages';
  const more = depth && depth.inFlight > 0 ? [`${formatNumber(depth.inFlight)} in flight`] : [];
  const delayed = depth && depth.delayed > 0 ? [`${formatNumber(depth.delayed)} delayed`] : [];
  const grown = growth === undefined ? [] : [`${growthText(queue)} in ${GROWTH_MINUTES} min`];
  const times =
    messagesOf(queue) > 0 ? [`  oldest ${oldestText(queue, nowMs)}, expires: ${briefExpiryText(queue, nowMs)}`] : [];
  return [
    nameOf(queue),
    ...(hasPlaces ? [`  ${account} ${region}`] : []),
    `  ${[count, ...more, ...delayed, ...grown].join(', ')}`,
    ...times,
    `  fed by ${feedersText(queue, hasFullNames)}`,
  ];
}

function paintOf(queue: ListedQueue, { nowMs, paint }: TableLayout): (text: string) => string {
  const urgency = urgencyOf(urgencyFactsOf(queue), nowMs);
  if (urgency === 'expiring') return paint.red;
  return messagesOf(queue) > 0 ? paint.yellow : String;
}

/**
 * A table of queues, those with messages highlighted. It is as wide as it needs to be, if that fits. Otherwise it has shorter
 * texts, then no column for what feeds a queue. In a narrow terminal each queue has a few lines.
 */
export function queueTable(queues: readonly ListedQueue[], layout: TableLayout): readonly string[] {
  const lines = fittingTable(queues, layout);
  if (!lines) {
    return queues.flatMap(queue => {
      const [name = '', ...rest] = block(queue, layout);
      return [paintOf(queue, layout)(name), ...rest];
    });
  }
  const [heading = '', ...rows] = lines;
  return [layout.paint.bold(heading), ...queues.map((queue, at) => paintOf(queue, layout)(rows[at] ?? ''))];
}
