import type { Cause, CauseKey, Explanation, Note, Unexplained } from '../../../lib/policy/causes/cause';
import type { Fix } from '../../../lib/policy/fixes/fix';
import { type CallSite, renderCall } from '../../../lib/policy/fixes/render';
import { counted, formatDuration, formatNumber, wrap } from '../../policy/wording';
import { aboutLines, foreignText, formatInstant } from '../../wording';
import type { Gathered } from './gather';
import { runbookLink } from './runbook-link';

const WIDTH = 100;

/** Our choice: two or three lines of a terminal. */
const ANSWER_CHARACTERS = 240;

const lettersText = (count: number) => counted(count, 'letter', 'letters');

const WHO: Readonly<Record<CauseKey['failed'], string>> = {
  subscription: 'SNS, for the topic',
  function: 'the function',
  relay: 'a relay, at',
  consumer: 'whatever reads',
  rule: 'EventBridge, for the rule',
  schedule: 'EventBridge Scheduler, for the schedule',
  redrive: 'a redrive, of letters of',
  'dead-letter-queue': 'SNS, for the topic',
};

function failedText({ failed, by, destination }: CauseKey): string {
  const to = destination === by ? '' : `, at ${destination}`;
  return foreignText(`${WHO[failed]} ${by}${to}`, ANSWER_CHARACTERS);
}

/** How many, and what share of those looked at. */
function headline({ letters, deliveries, says, isInferred }: Cause, lookedAt: number): string {
  const share = letters > 0 ? ` (${formatNumber(Math.round((100 * letters) / lookedAt))} %)` : '';
  const count =
    letters > 0 ? `${lettersText(letters)}${share}` : `${counted(deliveries, 'delivery', 'deliveries')} in the log`;
  return `${count}: ${isInferred ? 'probably: ' : ''}${foreignText(says, 2 * ANSWER_CHARACTERS)}`;
}

function exampleText({ example }: Cause): string {
  const { messageId, answer, attempts, dwellTimeMs } = example;
  const facts = [
    messageId,
    ...(attempts === undefined ? [] : [counted(attempts, 'attempt', 'attempts')]),
    ...(dwellTimeMs === undefined ? [] : [`${formatDuration(dwellTimeMs / 1_000)} after it was published`]),
  ];
  return foreignText([facts.join(', '), ...(answer === '' ? [] : [answer])].join(': '), ANSWER_CHARACTERS);
}

function periodText({ firstAtMs, lastAtMs }: Pick<Cause, 'firstAtMs' | 'lastAtMs'>): string {
  return `${formatInstant(firstAtMs)}, last ${formatInstant(lastAtMs)}`;
}

/** What to do, the statement that is missing, and the commands; each command on a line, so that it can be copied. */
function fixRows(fix: Fix | undefined, site: CallSite): (readonly [string, ...string[]])[] {
  if (!fix) return [];
  const statement = fix.statement === undefined ? [] : [`  ${JSON.stringify(fix.statement)}`];
  const commands = (fix.calls ?? []).map(call => `  ${renderCall(call, site)}`);
  const [first = '', ...more] = wrap(foreignText(fix.says, 4 * ANSWER_CHARACTERS), WIDTH);
  return [['Mend', first, ...more, ...statement, ...commands]];
}

function causeText(cause: Cause, at: number, lookedAt: number, site: CallSite): string {
  const { key, deliveries, letters, example, details, fix } = cause;
  const inLog = deliveries > 0 && letters > 0 ? `; ${counted(deliveries, 'time', 'times')} in the log` : '';
  const rows: (readonly [string, ...string[]])[] = [
    ['Since', periodText(cause)],
    ['Failed', failedText(key)],
    ['With', foreignText(`${key.code}${inLog}`, ANSWER_CHARACTERS)],
    ['Example', exampleText(cause)],
    ...(example.log === undefined
      ? []
      : [
          [
            'Log',
            foreignText(example.log.group, ANSWER_CHARACTERS),
            ...example.log.lines.map(line => `  ${foreignText(line, ANSWER_CHARACTERS)}`),
          ] as const,
        ]),
    ...(details.length === 0
      ? []
      : [['Also', ...details.map(text => foreignText(text, ANSWER_CHARACTERS))] as [string, ...string[]]]),
    ...fixRows(fix, site),
    ['Runbook', runbookLink(cause)],
  ];
  const indented = aboutLines(rows.map(([about, ...texts]) => [about, ...texts]));
  return [...wrap(`${at}. ${headline(cause, lookedAt)}`, WIDTH), ...indented.map(line => `   ${line}`)].join('\n');
}

function unexplainedText(unexplained: Unexplained): string {
  const { letters, says, example } = unexplained;
  const text = `${lettersText(letters)} ${foreignText(says, ANSWER_CHARACTERS)}; sent since ${periodText(unexplained)}; one is ${example}`;
  return wrap(`* ${text}`, WIDTH).join('\n');
}

function noteText({ says, fix }: Note, site: CallSite): string {
  const rows = fixRows(fix, site);
  return [
    ...wrap(`* ${foreignText(says, ANSWER_CHARACTERS)}`, WIDTH),
    ...aboutLines(rows).map(line => `  ${line}`),
  ].join('\n');
}

function whole({ look, queue, window }: Gathered): string {
  const { visible, inFlight, delayed } = look.unseen;
  const rest = Math.max(0, visible - look.told) + inFlight + delayed;
  const unseen = rest > 0 ? `, about ${formatNumber(rest)} more not seen` : '';
  return `${queue.name}: ${lettersText(look.told)} looked at${unseen}; logs since ${formatInstant(window.fromMs)}`;
}

function listed(heading: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [[heading, ...texts].join('\n')];
}

/** What comes next, once the causes are mended. */
function nextText({ queue, look }: Gathered, { causes }: Explanation): string[] {
  if (look.told === 0) return causes.length === 0 ? ['Nothing is there to explain.'] : [];
  return [`Once that is mended\n  dlo dlq redrive ${queue.name}`];
}

/** What `dlo dlq why` prints. */
export function whyText(gathered: Gathered, explanation: Explanation, site: CallSite): string {
  const { causes, unexplained, notes } = explanation;
  return [
    whole(gathered),
    ...causes.map((cause, at) => causeText(cause, at + 1, gathered.look.told, site)),
    ...listed('Not explained', unexplained.map(unexplainedText)),
    ...listed(
      'To know more next time',
      notes.map(note => noteText(note, site)),
    ),
    ...nextText(gathered, explanation),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}
