import { ownManifest } from '../../account/documents/own-package';
import type { Gathered } from '../../account/evidence/gather-evidence';
import type { Window } from '../../account/evidence/logs';
import type { LookResult, MessageCounts } from '../../account/messages/each-message';
import type { NamedQueue } from '../../account/messages/named-queue';
import { awsCommandLines, dloCommand, type Site } from '../../account/printed-commands';
import type { Cause, CauseKey, Explanation, Failed, Note, Unexplained } from '../../diagnosis/causes/cause';
import type { SampledMessage } from '../../diagnosis/causes/evidence';
import { replayOf, uniqueReplays } from '../../diagnosis/causes/relay-causes';
import { subscriptionNamed } from '../../diagnosis/causes/suspects';
import type { Fix } from '../../diagnosis/fixes/fix';
import { mayLack } from '../../diagnosis/inventory/inventory';
import { fleetOfDeadLetters, fleetOption } from '../../diagnosis/inventory/look-ups';
import { originalDestinationOf, originalDestinationsOf } from '../../diagnosis/manual-redrive/destination';
import { publishedRunbook, RunbookSection } from '../../diagnosis/published-guides';
import { displayNameOf } from '../../policy/arn';
import { counted, formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import { aboutLines, foreignText, wrap } from '../shared/terminal-text';
import { cutShortText } from './look-at-messages';

/** All that `dlo dlq why` reports of a queue. */
export interface WhyReport extends Gathered {
  readonly queue: NamedQueue;
  readonly window: Window;
  /** Before the messages were looked at. */
  readonly depths: MessageCounts;
  readonly look: LookResult;
}

/** The width of the text, and the AWS that its commands are for. */
export interface PageLayout {
  readonly site: Site;
  /** Whether every cause is described. */
  readonly isAll: boolean;
  /** The width of prose, in columns. */
  readonly width: number;
}

/** Two or three lines of a terminal. */
const ANSWER_CHARACTERS = 240;

const WHO: Readonly<Record<CauseKey['failed'], string>> = {
  subscription: 'SNS, for the topic',
  function: 'the function',
  relay: 'a relay, at',
  fleet: 'a fleet, for',
  consumer: 'what reads the queue',
  rule: 'EventBridge, for the rule',
  schedule: 'EventBridge Scheduler, for the schedule',
  redrive: 'a redrive, of messages of',
  'dead-letter-queue': 'SNS, for the topic',
};

/** What failed is unknown: `a function`, `a rule`. */
const UNNAMED = /^an? \w+$/;

function failedText({ failed, by, destination }: CauseKey): string {
  const to = destination === by ? '' : `, at ${displayNameOf(destination)}`;
  const who = UNNAMED.test(by) ? WHO[failed].replace(/the \w+$/, '') : `${WHO[failed]} `;
  return foreignText(`${who}${displayNameOf(by)}${to}`, ANSWER_CHARACTERS);
}

/** The share of the sampled messages. When one of several failures was the cause, the share of each is unknown. */
function shareText({ messages, oneOf }: Cause, lookedAt: number): string {
  if (oneOf.length > 0) return `, each caused by one of ${formatNumber(oneOf.length)} failures`;
  return ` (${formatNumber(Math.round((100 * messages) / lookedAt))} %)`;
}

function headline(cause: Cause, lookedAt: number): string {
  const { messages, deliveries, says, isInferred } = cause;
  const share = shareText(cause, lookedAt);
  const count =
    messages > 0 ? `${messagesText(messages)}${share}` : `${counted(deliveries, 'delivery', 'deliveries')} in the log`;
  return `${count}: ${isInferred ? 'probably: ' : ''}${foreignText(says, 2 * ANSWER_CHARACTERS)}`;
}

function exampleText({ example }: Cause): string {
  const { messageId, answer, attempts, dwellTimeMs } = example;
  const facts = [
    messageId,
    ...(attempts === undefined ? [] : [counted(attempts, 'attempt', 'attempts')]),
    ...(!dwellTimeMs ? [] : [`${formatDuration(dwellTimeMs / 1_000)} after it was published`]),
  ];
  return foreignText([facts.join(', '), ...(answer === '' ? [] : [answer])].join(': '), ANSWER_CHARACTERS);
}

function periodText({ firstAtMs, lastAtMs }: Pick<Cause, 'firstAtMs' | 'lastAtMs'>): string {
  const [first, last] = [formatInstant(firstAtMs), formatInstant(lastAtMs)];
  return first === last ? first : `${first}, last ${last}`;
}

/** How many possible failures are listed. `--json` has all of them. */
const MAX_FAILURES = 5;

/** The possible failures, each with its count in the log. */
function choiceRows({ oneOf }: Cause): Row[] {
  const [first, ...more] = oneOf
    .slice(0, MAX_FAILURES)
    .map(({ code, times, lastAtMs }) =>
      foreignText(`${counted(times, 'time', 'times')}, last ${formatInstant(lastAtMs)}: ${code}`, ANSWER_CHARACTERS),
    );
  if (first === undefined) return [];
  const rest = oneOf.length - MAX_FAILURES;
  return [['One of', first, ...more, ...(rest > 0 ? [`and ${formatNumber(rest)} more`] : [])]];
}

type Row = readonly [about: string, first: string, ...more: string[]];

function column(rows: readonly Row[]): string[] {
  return aboutLines(
    rows.flatMap(([about, first, ...more]): [string, string][] => [
      [about, first],
      ...more.map((it): [string, string] => ['', it]),
    ]),
  );
}

/** The fix: what to do, the missing policy statement, and the commands. Each command is on one line, so that it can be copied. */
function fixRows(fix: Fix | undefined, { site, width }: PageLayout): Row[] {
  if (!fix) return [];
  const statement =
    fix.statement === undefined ? [] : [`  ${foreignText(JSON.stringify(fix.statement), Number.POSITIVE_INFINITY)}`];
  const commands = awsCommandLines(fix.calls ?? [], site).map(line => `  ${line}`);
  const [first = '', ...more] = wrap(foreignText(fix.says, 4 * ANSWER_CHARACTERS), width);
  return [['Fix', first, ...more, ...statement, ...commands]];
}

function logRows({ example: { log } }: Cause): Row[] {
  if (!log) return [];
  return [['Log', log.group, ...log.lines.map(line => `  ${foreignText(line, ANSWER_CHARACTERS)}`)]];
}

function detailRows([first, ...more]: readonly string[]): Row[] {
  if (first === undefined) return [];
  return [['Also', foreignText(first, ANSWER_CHARACTERS), ...more.map(text => foreignText(text, ANSWER_CHARACTERS))]];
}

function causeText(cause: Cause, at: number, lookedAt: number, page: PageLayout): string {
  const { key, deliveries, messages, details, fix } = cause;
  const inLog = deliveries > 0 && messages > 0 ? `; ${counted(deliveries, 'time', 'times')} in the log` : '';
  const rows: Row[] = [
    ['Since', periodText(cause)],
    ['Failed', failedText(key)],
    ['With', foreignText(`${key.code}${inLog}`, ANSWER_CHARACTERS)],
    ['Example', exampleText(cause)],
    ...choiceRows(cause),
    ...logRows(cause),
    ...detailRows(details),
    ...fixRows(fix, page),
    ['Runbook', runbookLink(cause)],
  ];
  return [...wrap(`${at}. ${headline(cause, lookedAt)}`, page.width), ...column(rows).map(line => `   ${line}`)].join(
    '\n',
  );
}

/** How many causes are described without `--all`. A few more are described too, instead of a line that says so. */
const MOST_CAUSES = 5;
const A_FEW = 2;

/** How many further causes have a line of their own, and how many texts a list has. */
const MOST_LINES = 10;

/** The texts of a list without `--all`, and how many more there are. */
function limited(texts: readonly string[], { isAll }: PageLayout): readonly string[] {
  if (isAll || texts.length <= MOST_LINES) return texts;
  return [...texts.slice(0, MOST_LINES), `* and ${formatNumber(texts.length - MOST_LINES)} more (--all lists them)`];
}

/** The first causes, which have most messages, in full; a line for some others; and the number of the rest. */
function causeTexts(causes: readonly Cause[], lookedAt: number, page: PageLayout): readonly string[] {
  const most = page.isAll || causes.length <= MOST_CAUSES + A_FEW ? causes.length : MOST_CAUSES;
  const full = causes.slice(0, most).map((cause, at) => causeText(cause, at + 1, lookedAt, page));
  const others = causes.slice(most);
  if (others.length === 0) return full;
  const messages = others.reduce((sum, cause) => sum + cause.messages, 0);
  const heading = `${counted(others.length, 'other cause', 'other causes')} of ${messagesText(messages)} (--all describes them)`;
  const lines = others
    .slice(0, MOST_LINES)
    .flatMap((cause, at) => wrap(`${most + at + 1}. ${headline(cause, lookedAt)}`, page.width));
  const unlisted = others.length - MOST_LINES;
  return [...full, [heading, ...lines, ...(unlisted > 0 ? [`and ${formatNumber(unlisted)} more`] : [])].join('\n')];
}

function unexplainedText(unexplained: Unexplained, { width }: PageLayout): string {
  const { messages, says, example } = unexplained;
  const text = `${messagesText(messages)} ${foreignText(says, ANSWER_CHARACTERS)}; sent since ${periodText(unexplained)}; one is ${example}`;
  return wrap(`* ${text}`, width).join('\n');
}

function noteText({ says, fix }: Note, page: PageLayout): string {
  const rows = fixRows(fix, page);
  return [
    ...wrap(`* ${foreignText(says, ANSWER_CHARACTERS)}`, page.width),
    ...column(rows).map(line => `  ${line}`),
  ].join('\n');
}

function whole({ look, queue, window }: WhyReport): string {
  const { visible, inFlight, delayed } = look.unseen;
  // The count of SQS lags by up to a minute. That SQS returned no more messages is more reliable.
  const rest = (look.end === 'empty' ? 0 : visible) + inFlight + delayed;
  const unseen = rest > 0 ? `, about ${formatNumber(rest)} more not seen` : '';
  const cutShort = cutShortText(look.end);
  const end = cutShort === undefined ? '' : `. ${cutShort}.`;
  return `${queue.name}: ${messagesText(look.seen)} sampled${unseen}; logs since ${formatInstant(window.fromMs)}${end}`;
}

function listed(heading: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [[heading, ...texts].join('\n')];
}

/** The options of a redrive that the operator completes. */
const COMPLETED = ['ARN', 'EXPR'];

/** The options of the redrive of one subscription's messages, or of those that name no subscription. */
function wordsFor(arn: string | undefined, { evidence: { inventory, queueArn } }: WhyReport): readonly string[] {
  if (arn === undefined) return ['--to', 'ARN', '--filter', 'EXPR'];
  const route = originalDestinationOf(arn, queueArn, inventory);
  return route === undefined ? ['--subscription', arn, '--to', 'ARN'] : ['--to', route.arn];
}

/**
 * The options of the next redrives of messages, one for each destination. A queue that several subscriptions share needs one for
 * each of those whose messages were sampled. Of a fleet, only events that SQS moved can be sent again as they are.
 */
function redriveWords(report: WhyReport, messages: readonly SampledMessage[]): readonly (readonly string[])[] {
  if (messages.length === 0) return [];
  const { evidence } = report;
  const { eventsQueueArn } = fleetOfDeadLetters(report.queue.arn, evidence.inventory) ?? {};
  if (eventsQueueArn !== undefined) {
    const isMoved = messages.some(it => it.decoded.message.movedFromArn === eventsQueueArn);
    return isMoved ? [['--to', eventsQueueArn, '--filter', `movedFromArn=='${eventsQueueArn}'`]] : [];
  }
  const { destinations, withoutDestination } = originalDestinationsOf(report.queue.arn, evidence.inventory);
  const isSure = !mayLack(evidence.inventory, 'feeders');
  if (isSure && destinations.length === 1 && withoutDestination.length === 0) return [[]];
  if (destinations.length === 0 && withoutDestination.length < 2) return [['--to', 'ARN']];
  const arns = new Set(messages.map(subscriptionNamed));
  const named = [...arns].filter(arn => arn !== undefined);
  const words = [...named, ...(arns.size > named.length ? [undefined] : [])].map(arn => wordsFor(arn, report));
  return words.filter((it, at) => words.findIndex(other => other.join(' ') === it.join(' ')) === at);
}

/** Sends what any endpoint of the fleet has in the queue. */
function replayOfAll({ queue, evidence: { inventory } }: WhyReport): readonly string[] {
  const fleet = fleetOfDeadLetters(queue.arn, inventory);
  return ['fleet', 'replay', '--all', ...(fleet ? fleetOption(fleet, inventory) : [])];
}

function nextText(report: WhyReport, { causes }: Explanation, page: PageLayout): string[] {
  const { queue, look, evidence } = report;
  if (look.seen === 0) return causes.length === 0 ? ['The queue is empty.'] : [];
  const replays = uniqueReplays(evidence.messages.map(it => replayOf(it, evidence)));
  const redrives = redriveWords(
    report,
    evidence.messages.filter(it => !replayOf(it, evidence)),
  );
  const given = new Set(redrives.flat().filter(word => COMPLETED.includes(word)));
  const which = given.has('EXPR') ? ' and a filter for them' : '';
  const heading = `Once that is fixed${given.size === 0 ? '' : `, with their destination${which}`}`;
  const commands = [
    ...(replays.length > MOST_LINES ? [replayOfAll(report)] : []),
    ...replays,
    ...redrives.map(words => ['dlq', 'redrive', queue.name, ...words]),
  ].map(words => `  ${dloCommand(words, page.site)}`);
  return commands.length === 0 ? [] : [[heading, ...limited(commands, page)].join('\n')];
}

/** The output of `dlo dlq why`. */
export function whyText(report: WhyReport, explanation: Explanation, page: PageLayout): string {
  const { causes, unexplained, notes } = explanation;
  return [
    whole(report),
    ...causeTexts(causes, report.look.seen, page),
    ...listed(
      'Not explained',
      limited(
        unexplained.map(it => unexplainedText(it, page)),
        page,
      ),
    ),
    ...listed(
      'To know more next time',
      limited(
        notes.map(note => noteText(note, page)),
        page,
      ),
    ),
    ...nextText(report, explanation, page),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

const SECTIONS: Readonly<Record<Failed, RunbookSection>> = {
  subscription: RunbookSection.DEAD_LETTERS_ARRIVED,
  function: RunbookSection.DEAD_LETTERS_ARRIVED,
  relay: RunbookSection.DEAD_LETTERS_ARRIVED,
  fleet: RunbookSection.DEAD_LETTERS_ARRIVED,
  rule: RunbookSection.DEAD_LETTERS_ARRIVED,
  schedule: RunbookSection.DEAD_LETTERS_ARRIVED,
  consumer: RunbookSection.DEAD_LETTERS_WAITING,
  redrive: RunbookSection.DEAD_LETTERS_IN_QUARANTINE,
  'dead-letter-queue': RunbookSection.DEAD_LETTERS_LOST,
};

export function runbookLink({ key }: Cause): string {
  return `${publishedRunbook(ownManifest())}#${SECTIONS[key.failed]}`;
}
