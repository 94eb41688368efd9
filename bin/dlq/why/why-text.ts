import type { Gathered } from '../../../account/evidence/gather-evidence';
import { awsCommand, dloCommand, type Site } from '../../../account/printed-commands';
import type { Cause, CauseKey, Explanation, Failed, Note, Unexplained } from '../../../diagnosis/causes/cause';
import type { Fix } from '../../../diagnosis/fixes/fix';
import { originalDestinationsOf } from '../../../diagnosis/manual-redrive/destination';
import { publishedRunbook, RunbookSection } from '../../../lib/shared/published-runbook';
import { displayNameOf } from '../../../policy/arn';
import { counted, formatDuration, formatNumber, messagesText } from '../../../policy/format-text';
import { aboutLines, foreignText, formatInstant, wrap } from '../../text';
import { cutShortText } from '../looking';

/** Where it is printed, and of which AWS it tells. */
export interface Page {
  readonly site: Site;
  /** Of prose. */
  readonly width: number;
}

/** Our choice: two or three lines of a terminal. */
const ANSWER_CHARACTERS = 240;

const WHO: Readonly<Record<CauseKey['failed'], string>> = {
  subscription: 'SNS, for the topic',
  function: 'the function',
  relay: 'a relay, at',
  consumer: 'what reads the queue',
  rule: 'EventBridge, for the rule',
  schedule: 'EventBridge Scheduler, for the schedule',
  redrive: 'a redrive, of letters of',
  'dead-letter-queue': 'SNS, for the topic',
};

function failedText({ failed, by, destination }: CauseKey): string {
  const to = destination === by ? '' : `, at ${displayNameOf(destination)}`;
  return foreignText(`${WHO[failed]} ${displayNameOf(by)}${to}`, ANSWER_CHARACTERS);
}

/** What share of those looked at, where it is theirs: among several failures nobody knows it. */
function shareText({ messages, oneOf }: Cause, lookedAt: number): string {
  if (oneOf.length > 0) return `, each of one of ${formatNumber(oneOf.length)} failures`;
  return ` (${formatNumber(Math.round((100 * messages) / lookedAt))} %)`;
}

/** How many, and why. */
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

/** Our choice: the rest are rare beside these; `--json` has all. */
const MOST_FAILURES = 5;

/** The failures it may have been, each with how often the log has it. */
function choiceRows({ oneOf }: Cause): Row[] {
  const [first, ...more] = oneOf
    .slice(0, MOST_FAILURES)
    .map(({ code, times, lastAtMs }) =>
      foreignText(`${counted(times, 'time', 'times')}, last ${formatInstant(lastAtMs)}: ${code}`, ANSWER_CHARACTERS),
    );
  if (first === undefined) return [];
  const rest = oneOf.length - MOST_FAILURES;
  return [['One of', first, ...more, ...(rest > 0 ? [`and ${formatNumber(rest)} more`] : [])]];
}

type Row = readonly [about: string, first: string, ...more: string[]];

/** Each row's texts in a column behind what they are about, which is said once. */
function column(rows: readonly Row[]): string[] {
  return aboutLines(
    rows.flatMap(([about, first, ...more]): [string, string][] => [
      [about, first],
      ...more.map((it): [string, string] => ['', it]),
    ]),
  );
}

/** What to do, the statement that is missing, and the commands; each command on a line, so that it can be copied. */
function fixRows(fix: Fix | undefined, { site, width }: Page): Row[] {
  if (!fix) return [];
  const statement =
    fix.statement === undefined ? [] : [`  ${foreignText(JSON.stringify(fix.statement), Number.POSITIVE_INFINITY)}`];
  const commands = (fix.calls ?? []).map(call => `  ${awsCommand(call, site)}`);
  const [first = '', ...more] = wrap(foreignText(fix.says, 4 * ANSWER_CHARACTERS), width);
  return [['Mend', first, ...more, ...statement, ...commands]];
}

function logRows({ example: { log } }: Cause): Row[] {
  if (!log) return [];
  return [['Log', log.group, ...log.lines.map(line => `  ${foreignText(line, ANSWER_CHARACTERS)}`)]];
}

function detailRows([first, ...more]: readonly string[]): Row[] {
  if (first === undefined) return [];
  return [['Also', foreignText(first, ANSWER_CHARACTERS), ...more.map(text => foreignText(text, ANSWER_CHARACTERS))]];
}

function causeText(cause: Cause, at: number, lookedAt: number, page: Page): string {
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

function unexplainedText(unexplained: Unexplained, { width }: Page): string {
  const { messages, says, example } = unexplained;
  const text = `${messagesText(messages)} ${foreignText(says, ANSWER_CHARACTERS)}; sent since ${periodText(unexplained)}; one is ${example}`;
  return wrap(`* ${text}`, width).join('\n');
}

function noteText({ says, fix }: Note, page: Page): string {
  const rows = fixRows(fix, page);
  return [
    ...wrap(`* ${foreignText(says, ANSWER_CHARACTERS)}`, page.width),
    ...column(rows).map(line => `  ${line}`),
  ].join('\n');
}

function whole({ look, queue, window }: Gathered): string {
  const { visible, inFlight, delayed } = look.unseen;
  // What SQS counts is late by up to a minute: that nothing more came says more.
  const rest = (look.end === 'empty' ? 0 : visible) + inFlight + delayed;
  const unseen = rest > 0 ? `, about ${formatNumber(rest)} more not seen` : '';
  const cutShort = cutShortText(look.end);
  const end = cutShort === undefined ? '' : `. ${cutShort}.`;
  return `${queue.name}: ${messagesText(look.seen)} looked at${unseen}; logs since ${formatInstant(window.fromMs)}${end}`;
}

function listed(heading: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [[heading, ...texts].join('\n')];
}

/** What must be said of where letters go: nothing where it is one place, to which a redrive sends them by itself. */
function destinationWords({ queue, evidence }: Gathered): readonly string[] {
  const { destinations, withoutDestination } = originalDestinationsOf(queue.arn, evidence.inventory);
  if (destinations.length === 1 && withoutDestination.length === 0) return [];
  return destinations.length === 0 ? ['--to', 'ARN'] : ['--to', 'ARN', '--filter', 'EXPR'];
}

/** What comes next, once the causes are mended. */
function nextText(gathered: Gathered, { causes }: Explanation, { site }: Page): string[] {
  const { queue, look } = gathered;
  if (look.seen === 0) return causes.length === 0 ? ['Nothing is there to explain.'] : [];
  const to = destinationWords(gathered);
  const which = to.includes('--filter') ? ' and which of them do' : '';
  const heading = `Once that is mended${to.length === 0 ? '' : `; say where they go${which}`}`;
  return [`${heading}\n  ${dloCommand(['dlq', 'redrive', queue.name, ...to], site)}`];
}

/** What `dlo dlq why` prints. */
export function whyText(gathered: Gathered, explanation: Explanation, page: Page): string {
  const { causes, unexplained, notes } = explanation;
  return [
    whole(gathered),
    ...causes.map((cause, at) => causeText(cause, at + 1, gathered.look.seen, page)),
    ...listed(
      'Not explained',
      unexplained.map(it => unexplainedText(it, page)),
    ),
    ...listed(
      'To know more next time',
      notes.map(note => noteText(note, page)),
    ),
    ...nextText(gathered, explanation, page),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

/** The section that says how to look, and how to send such letters home. */
const SECTIONS: Readonly<Record<Failed, RunbookSection>> = {
  subscription: RunbookSection.DEAD_LETTERS_ARRIVED,
  function: RunbookSection.DEAD_LETTERS_ARRIVED,
  relay: RunbookSection.DEAD_LETTERS_ARRIVED,
  rule: RunbookSection.DEAD_LETTERS_ARRIVED,
  schedule: RunbookSection.DEAD_LETTERS_ARRIVED,
  consumer: RunbookSection.DEAD_LETTERS_WAITING,
  redrive: RunbookSection.DEAD_LETTERS_IN_QUARANTINE,
  'dead-letter-queue': RunbookSection.DEAD_LETTERS_LOST,
};

/** Where the runbook has more on a cause. */
export function runbookLink({ key }: Cause): string {
  return `${publishedRunbook()}#${SECTIONS[key.failed]}`;
}
