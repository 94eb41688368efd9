import { nameInArn, type SubscriberAccount } from '../../local';
import { isoInstant } from '../../policy/instants';
import { type Column, type Paint, plainPaint, table } from '../shared/terminal-text';
import type { AlarmRing, QueueCause } from './causes';
import { type ChronicleLine, clockTime, type Mark } from './chronicle';
import type { RentalStory } from './rental-day';

/** How each kind of line looks: a sign that survives without colour, and a colour. */
const SIGNS: Readonly<Record<Mark, { readonly sign: string; readonly colour: keyof Paint }>> = {
  act: { sign: '▶', colour: 'bold' },
  dead: { sign: '✉', colour: 'yellow' },
  retry: { sign: '↻', colour: 'dim' },
  alarm: { sign: '▲', colour: 'red' },
  ok: { sign: '✓', colour: 'green' },
  lost: { sign: '✗', colour: 'red' },
};

const deadLetters = ({ deadLettered }: SubscriberAccount): number =>
  Object.values(deadLettered).reduce((sum, count) => sum + count, 0);

const LEDGER: readonly Column<SubscriberAccount>[] = [
  { heading: 'subscriber', align: 'left', cell: ({ endpoint, protocol }) => `${nameInArn(endpoint)} (${protocol})` },
  { heading: 'published', align: 'right', cell: ({ published }) => String(published) },
  { heading: '= delivered', align: 'right', cell: ({ delivered }) => String(delivered) },
  { heading: '+ dead-lettered', align: 'right', cell: account => String(deadLetters(account)) },
  { heading: '+ filtered out', align: 'right', cell: ({ filteredOut }) => String(filteredOut) },
  { heading: 'lost', align: 'right', cell: ({ lost }) => String(lost) },
  { heading: 'under way', align: 'right', cell: ({ underWay }) => String(underWay) },
];

const CAUSES: readonly Column<QueueCause>[] = [
  { heading: 'queue', align: 'left', cell: ({ queue }) => queue },
  { heading: 'messages', align: 'right', cell: ({ count }) => String(count) },
  { heading: 'cause', align: 'left', cell: ({ cause }) => cause },
];

/** All the times one alarm rang. */
interface Ringing {
  readonly alarm: string;
  readonly rings: readonly AlarmRing[];
}

const ALARMS: readonly Column<Ringing>[] = [
  { heading: 'alarm', align: 'left', cell: ({ alarm }) => alarm },
  { heading: 'rang', align: 'right', cell: ({ rings }) => `${rings.length} x` },
  { heading: 'first', align: 'left', cell: ({ rings }) => clockTime(rings[0]?.fromMs ?? Number.NaN) },
  { heading: 'quiet since', align: 'left', cell: ({ rings }) => quietSince(rings) },
];

function quietSince(rings: readonly AlarmRing[]): string {
  const untilMs = rings.at(-1)?.untilMs;
  return untilMs === undefined ? 'still ringing' : clockTime(untilMs);
}

function byAlarm(alarms: readonly AlarmRing[]): readonly Ringing[] {
  return [...new Set(alarms.map(({ alarm }) => alarm))].map(alarm => ({
    alarm,
    rings: alarms.filter(ring => ring.alarm === alarm),
  }));
}

/** The day as a human wants to read it. */
export function storyText(story: RentalStory, seed: string, paint: Paint = plainPaint): string {
  const { fromMs, ordersTaken, fulfilled, lines, ledger, causes, alarms } = story;
  const date = isoInstant(fromMs).slice(0, 10);
  return [
    paint.bold(`A bad day at Rental Orders, ${date} (UTC, seed ${seed})`),
    `${ordersTaken} orders come in through the API. ▶ is what we do to it; the rest is what the embedded AWS recorded.`,
    '',
    ...lines.map(line => chronicleText(line, paint)),
    '',
    paint.bold('Why they died'),
    ...indented(table(CAUSES, causes)),
    ...indented(sourcesOf(causes)),
    '',
    paint.bold('Alarms'),
    ...indented(table(ALARMS, byAlarm(alarms))),
    ...indented([mailboxText(story), missedAlarmText(story)]),
    '',
    paint.bold('The ledger'),
    ...indented(table(LEDGER, ledger)),
    ...indented([`The fulfilment system has fulfilled ${fulfilled} orders.`]),
    '',
    verdict(story, paint),
    '',
  ].join('\n');
}

function chronicleText({ atMs, mark, text }: ChronicleLine, paint: Paint): string {
  const { sign, colour } = SIGNS[mark];
  const indent = mark === 'act' ? '' : '  ';
  return `${paint.dim(clockTime(atMs))}  ${indent}${paint[colour](`${sign} ${text}`)}`;
}

function sourcesOf(causes: readonly QueueCause[]): readonly string[] {
  return [...new Set(causes.map(({ queue, source }) => `${queue}: read from ${source}`))];
}

function mailboxText({ mailbox, alarms }: RentalStory): string {
  return mailbox
    ? `${mailbox.address} got ${mailbox.messages} e-mails; alarms rang ${alarms.length} times.`
    : 'No operator was notified: synthesize with -c opsEmail=you@example.com.';
}

function missedAlarmText({ missedAlarm: { queue, deadLetters: dead, messagesSent } }: RentalStory): string {
  const sum = `NumberOfMessagesSent of ${queue} adds up to ${messagesSent} over the day, with ${dead} dead letters`;
  return messagesSent === 0 && dead > 0
    ? `${sum}: SQS does not count what it moves itself, so an alarm on that metric would have slept through it.`
    : `${sum}.`;
}

function verdict({ lost, unaccounted }: RentalStory, paint: Paint): string {
  if (lost > 0) return paint.red(`${lost} messages were lost.`);
  if (unaccounted > 0) return paint.red(`${unaccounted} messages are still under way, or unaccounted for.`);
  return paint.green('Nothing was lost: published = delivered + dead-lettered + filtered out, for each subscriber.');
}

const indented = (lines: readonly string[]): readonly string[] => lines.map(line => `  ${line}`);

/** The day for machines: the ledger, the alarms and the causes. */
export function storyJson(story: RentalStory, seed: string): string {
  const { fromMs, untilMs, ordersTaken, fulfilled, ledger, alarms, causes, missedAlarm, mailbox, lost, unaccounted } =
    story;
  return JSON.stringify({
    seed,
    from: isoInstant(fromMs),
    until: isoInstant(untilMs),
    ordersTaken,
    fulfilled,
    ledger: ledger.map(({ endpoint, protocol, published, delivered, deadLettered, filteredOut, lost, underWay }) => ({
      subscriber: nameInArn(endpoint),
      protocol,
      published,
      delivered,
      deadLettered,
      filteredOut,
      lost,
      underWay,
    })),
    alarms: alarms.map(({ alarm, fromMs, untilMs }) => ({
      alarm,
      from: isoInstant(fromMs),
      until: untilMs === undefined ? null : isoInstant(untilMs),
    })),
    causes,
    missedAlarm,
    mailbox: mailbox ?? null,
    lost,
    unaccounted,
  });
}
