import { eventText, type LocalAwsState, nameInArn, type Speed, type TracedAwsEvent, type TraceNote } from '../../local';
import { parseArn } from '../../policy/arn';
import { type Column, foreignLines, type Paint, table } from '../shared/terminal-text';
import { CONSOLE_PATH } from './local-console';

export interface Overview {
  readonly url: string;
  readonly stacks: readonly string[];
  readonly state: LocalAwsState;
  readonly speed: Speed;
}

interface Row {
  readonly name: string;
  readonly where: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { heading: '', align: 'left', cell: ({ name }) => `  ${name}` },
  { heading: '', align: 'left', cell: ({ where }) => where },
];

/** Lists the deployed resources, and how to reach them. */
export function overviewText({ url, stacks, state, speed }: Overview): string {
  const { account, region, now, queues, topics, pendingSubscriptions, functions, apis, alarms } = state;
  const lines = [
    `AWS is at ${url}: account ${account}, ${region}, ${stacks.length === 0 ? 'no stacks' : stacks.join(', ')}`,
    `It is ${now} there, and ${PACES[String(speed)] ?? `time runs ${speed} times as fast as real time`}.`,
    ...placesSection(state),
    ...section(
      'Queues',
      queues.map(({ name, url: at, arn }) => ({ name, where: at + inOtherRegion(arn, region) })),
    ),
    ...section(
      'Topics',
      topics.map(({ name, arn: where }) => ({ name, where })),
    ),
    ...section(
      'Subscriptions to confirm with POST /_dlo/confirm {"endpoint":"…"}',
      pendingSubscriptions.map(({ endpoint, topicArn }) => ({ name: endpoint, where: topicArn })),
    ),
    ...section(
      'Functions',
      functions.map(({ name, arn: where }) => ({ name, where })),
    ),
    ...section(
      'APIs',
      apis.map(({ name, url: where }) => ({ name, where })),
    ),
    ...section(
      'Alarms',
      alarms.map(({ name, state: is, arn }) => ({ name, where: is + inOtherRegion(arn, region) })),
    ),
    ...standInSection(state.standIns),
    '',
    `The console is at ${url}${CONSOLE_PATH} in a browser.`,
    '',
    'To use it with the aws command and SDKs:',
    `  export AWS_REGION=${region} AWS_DEFAULT_REGION=${region} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local`,
    `  export AWS_ENDPOINT_URL=${url}`,
    `  aws --endpoint-url ${url} sqs list-queues`,
    '',
    'Press Ctrl-C to stop.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

const PACES: Readonly<Record<string, string>> = {
  0: 'time stands still until POST /_dlo/advance',
  1: 'it runs in real time',
  max: 'time jumps to the next event',
};

/** Which accounts and Regions are used, if not only the default ones. */
function placesSection({ account, region, places }: LocalAwsState): readonly string[] {
  if (places.length < 2) return [];
  const isDefault = (place: (typeof places)[number]): boolean => place.account === account && place.region === region;
  return section(
    'Accounts and Regions (the access key id AWS_ACCESS_KEY_ID=<account> acts in an account)',
    places.map(place => ({ name: `${place.account}  ${place.region}`, where: isDefault(place) ? 'default' : '' })),
  );
}

/** A queue's URL at a port, and an alarm's name, do not tell the Region. */
function inOtherRegion(arn: string, here: string): string {
  const { region = here } = parseArn(arn) ?? {};
  return region === here ? '' : `  in ${region}`;
}

/** A stack can have hundreds, so resources are counted by type. */
function standInSection(standIns: LocalAwsState['standIns']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { what, type, member, reason } of standIns) {
    const name = what === 'resource' && member === undefined ? type : `${type}: ${reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return section(
    'Not simulated: stand-ins that have names and ARNs, but do nothing (GET /_dlo/state lists them)',
    [...counts].map(([name, count]) => ({ name, where: count === 1 ? '' : `${count} times` })),
  );
}

function section(heading: string, rows: readonly Row[]): readonly string[] {
  return rows.length === 0 ? [] : ['', heading, ...table(COLUMNS, rows).slice(1)];
}

const TYPE_WIDTH = 24;

/** Colors by the end of an event type. */
const COLOURS: readonly (readonly [RegExp, keyof Paint])[] = [
  [/[.-](lost|refused|failed|undeliverable|not-implemented|stopped|broke|dropped)$/, 'red'],
  [/[.-](dead-lettered|throttled|retry-scheduled|expired|dead-letter-attempt|suppressed|limited)$/, 'yellow'],
  [/[.-](delivered|completed)$/, 'green'],
];

/** Colors by the outcome of an attempt. */
const OUTCOMES: Readonly<Record<string, keyof Paint>> = {
  delivered: 'green',
  success: 'green',
  retry: 'yellow',
  throttled: 'yellow',
  dead: 'red',
  error: 'red',
  timeout: 'red',
};

/** Formats an event as one line, with names and short ids instead of ARNs. */
export function followLine(event: TracedAwsEvent, paint: Paint): string {
  const { at, type, facts } = eventText(event);
  const colour = colourOf(type, event);
  const what = type.padEnd(TYPE_WIDTH);
  return `${paint.dim(at)}  ${colour ? paint[colour](what) : what}  ${facts}`.trimEnd();
}

function colourOf(type: string, about: object): keyof Paint | undefined {
  const outcome = 'outcome' in about ? OUTCOMES[String(about.outcome)] : undefined;
  return outcome ?? COLOURS.find(([pattern]) => pattern.test(type))?.[1];
}

/** Notes begin below the facts of their event. */
const NOTE_INDENT = ' '.repeat(25);
const NOTE_WIDTH = 100;
const NARROWEST_NOTE = 20;
const MOST_NOTE_LINES = 12;

/**
 * Formats what a function printed, or the body of a message, as lines below the event they belong to, folded to the
 * width of the terminal. A long text ends with the number of lines that are left out.
 *
 * @param columns the width of the terminal. @default - room for 100 characters
 */
export function noteLines({ kind, of, text }: TraceNote, paint: Paint, columns?: number): readonly string[] {
  const head = kind === 'console' ? `${nameInArn(of)}: ` : '';
  const bar = `${NOTE_INDENT}${kind === 'console' ? '>' : '|'} `;
  const width = columns === undefined ? NOTE_WIDTH : Math.max(columns - bar.length, NARROWEST_NOTE);
  const lines = foreignLines(head + text.trimEnd()).flatMap(line => pieces(line, width));
  const shownLines = lines.slice(0, MOST_NOTE_LINES);
  const more = lines.length - shownLines.length;
  return [...shownLines, ...(more > 0 ? [`… ${more} more lines`] : [])].map(line => paint.dim(bar + line));
}

function pieces(line: string, width: number): readonly string[] {
  const count = Math.max(Math.ceil(line.length / width), 1);
  return Array.from({ length: count }, (_, i) => line.slice(i * width, (i + 1) * width));
}
