import { queueNameOf } from '../../account/names';
import { dloCommand, type Site } from '../../account/printed-commands';
import { adviceOf, type RedriveReport, sectionLink } from '../../account/redrive/advice';
import {
  isChange,
  keptText,
  prospectOf,
  type RedriveSwitchPlan,
  type RunProspect,
} from '../../account/redrive/operate-redrive';
import {
  type FailurePlace,
  gatesOf,
  movesOf,
  type RedriveLook,
  type RedriveView,
  type RepeatedRecord,
  type ShownMove,
} from '../../account/redrive/redrive-state';
import {
  carrierText,
  decisionText,
  depthText,
  destinationText,
  needsAttention,
  recordWords,
  runText,
  stateText,
  stepText,
} from '../../account/redrive/redrive-words';
import { RunbookSection } from '../../diagnosis/published-guides';
import { formatDuration, formatNumber, messagesText } from '../../policy/format-text';
import { formatInstant } from '../../policy/instants';
import { messagesLeft, totalOf } from '../../policy/redrive/budget';
import type { PreconditionState } from '../../policy/redrive/preconditions';
import { isActive, redriveContextOf } from '../../policy/redrive/redrive-runs';
import { isKnown, type MaybeKnown } from '../../template/maybe-known';
import type { PlannedChange } from '../shared/planned-change';
import {
  aboutLines,
  adviceLines,
  type Column,
  foreignText,
  listLines,
  type Screen,
  table,
  wrap,
} from '../shared/terminal-text';
import { decisionDocument } from './redrive-documents';

const WIDTH = 100;

/** Reasons of AWS can be long. The log has the rest. */
const REASON_CHARACTERS = 240;

function budgetText({ redrive: { settings }, facts }: RedriveView): string {
  const left = messagesLeft(redriveContextOf(settings, facts).budget);
  const { messagesPerDay, runsPerDay } = settings;
  const runs = `${runsPerDay} ${runsPerDay === 1 ? 'run' : 'runs'}`;
  return `${formatNumber(left)} of ${messagesText(messagesPerDay)} a day are left; at most ${runs} a day`;
}

function settlingText({ settings }: RedriveView['redrive']): string {
  const settle = formatDuration(settings.settleMs / 1_000);
  return `${settle} after each step; the run stops if more than ${settings.maxReturnedPercent} % of a step return`;
}

function startsText({ settings: { recoveryAlarms } }: RedriveView['redrive']): string[] {
  return recoveryAlarms.length === 0 ? [] : [`once ${recoveryAlarms.join(', ')} has recovered`];
}

function placeText({ queue, depth, emptiedBy }: FailurePlace): string {
  const by = emptiedBy === undefined ? '' : `; emptied by ${emptiedBy}`;
  return `${queueNameOf(queue.arn)}: ${depthText(depth)}${by}`;
}

function factLines(whole: RedriveReport): string[] {
  const { seen, places } = whole;
  const { redrive, facts, byItself, ifAsked } = seen;
  const { settings } = redrive;
  const runbook = sectionLink(whole, RunbookSection.REDRIVE_STOPPED);
  return aboutLines([
    ['Name', settings.name],
    ['From', queueNameOf(settings.deadLetters.arn)],
    ['To', destinationText(settings)],
    ['By', carrierText(settings)],
    ['Starts', ...startsText(redrive)],
    ['Steps', settings.steps.map(stepText).join(', then ')],
    ['Settles', settlingText(redrive)],
    ['Budget', budgetText(seen)],
    ['State', stateText(seen)],
    ['Switch', `${facts.killSwitch}, by ${settings.switchParameter}`],
    ['Messages', depthText(facts.deadLetters)],
    ['Destination', ...(settings.destination.kind === 'queue' ? [depthText(facts.destination?.depth)] : [])],
    ['Failed again', ...places.map(placeText)],
    ['Last run', runText(byItself.run)],
    ['By itself', foreignText(`it ${decisionText(byItself.decision)}`, REASON_CHARACTERS)],
    ['If asked now', foreignText(`it ${decisionText(ifAsked.decision)}`, REASON_CHARACTERS)],
    ['Log', redrive.logGroupName],
    ['Runbook', ...(runbook === undefined ? [] : [runbook])],
  ]);
}

const GATE_COLUMNS: readonly Column<PreconditionState>[] = [
  { heading: 'Precondition', align: 'left', cell: ({ cause }) => cause },
  { heading: '', align: 'left', cell: ({ reason }) => (reason === undefined ? 'holds' : `FAILS: ${reason}`) },
];

function whoseText({ isOwn, destinationArn }: ShownMove): string {
  const to = destinationArn === undefined ? 'their source queues' : queueNameOf(destinationArn);
  return isOwn ? 'its own' : `another caller's, to ${to}`;
}

const MOVE_COLUMNS: readonly Column<ShownMove>[] = [
  { heading: 'Move began', align: 'left', cell: ({ startedAtMs }) => formatInstant(startedAtMs) },
  { heading: 'Status', align: 'left', cell: ({ status }) => status },
  { heading: 'A second', align: 'right', cell: ({ messagesPerSecond }) => `${messagesPerSecond ?? '-'}` },
  { heading: 'Moved', align: 'right', cell: ({ moved }) => formatNumber(moved) },
  { heading: 'Of', align: 'right', cell: ({ toMove }) => (toMove === undefined ? '-' : formatNumber(toMove)) },
  { heading: 'Whose', align: 'left', cell: whoseText },
];

function recordText(repeated: RepeatedRecord): string {
  const { atMs, sinceMs, times, record } = repeated;
  const again = times === 1 ? '' : ` (${times} times since ${formatInstant(sinceMs)})`;
  const why = foreignText(record.failure ?? record.reason, REASON_CHARACTERS);
  return `${formatInstant(atMs)}  ${recordWords(repeated)}: ${why}${again}`;
}

export function showText(whole: RedriveReport, all: MaybeKnown<readonly RepeatedRecord[]>): string {
  const { seen } = whole;
  const moves = movesOf(seen);
  const isUnderWay = moves.some(isActive);
  const advice = adviceLines(adviceOf(whole));
  const records = isKnown(all) ? all.flatMap(it => wrap(recordText(it), WIDTH)) : ['unknown'];
  const written = records.length === 0 ? ['none within a day'] : records;
  const lines = [
    seen.redrive.name,
    ...factLines(whole),
    '',
    seen.byItself.state === 'moving'
      ? 'Preconditions, while messages move'
      : 'Preconditions for a run that would start now',
    ...table(GATE_COLUMNS, gatesOf(seen)).slice(1),
    ...(moves.length > 0 ? ['', isUnderWay ? 'Moves, one under way' : 'Moves', ...table(MOVE_COLUMNS, moves)] : []),
    '',
    'Last records',
    ...written,
    ...(advice.length > 0 ? ['', 'What to do', ...advice] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function column(
  heading: string,
  cell: (seen: RedriveView) => string,
  align: 'left' | 'right' = 'left',
): Column<RedriveLook> {
  return { heading, align, cell: ({ seen, redrive }) => (seen ? cell(seen) : redrive.settings ? '?' : '-') };
}

const COLUMNS: readonly Column<RedriveLook>[] = [
  { heading: 'REDRIVE', align: 'left', cell: ({ redrive }) => redrive.name },
  column('FROM', ({ redrive }) => queueNameOf(redrive.settings.deadLetters.arn)),
  column('TO', ({ redrive }) => destinationText(redrive.settings)),
  column('STATE', stateText),
  column(
    'MESSAGES',
    ({ facts }) => (facts.deadLetters ? formatNumber(totalOf(facts.deadLetters)) : 'no queue'),
    'right',
  ),
  column('SWITCH', ({ facts }) => facts.killSwitch),
  column('LAST RUN', ({ byItself }) => runText(byItself.run)),
];

/** A table of redrives. Those that need attention are highlighted. */
export function listText(looks: readonly RedriveLook[], region: string, screen: Screen): string {
  if (looks.length === 0) return `No redrive is in ${region}.\n`;
  return `${listLines(COLUMNS, looks, screen, ({ seen }) => !seen || needsAttention(seen)).join('\n')}\n`;
}

/** The plan as a command prints it. */
export function plannedSwitch(plan: RedriveSwitchPlan): Omit<PlannedChange, 'work'> {
  const { action, redrive, from, to, others, notes } = plan;
  const { name, settings } = redrive;
  const { switchParameter: parameter } = settings;
  const shared = others.length === 0 ? [] : [`The same switch stops and starts ${others.join(', ')}.`];
  return {
    words: ['redrive', action, name],
    title: `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which sends messages to ${destinationText(settings)}.`,
    facts: [
      ['Switch now', from],
      ['Parameter', `${parameter} becomes ${to}`],
    ],
    notes: [...notes, ...shared],
    change: { command: `redrive ${action}`, resource: parameter, details: { redrive: name, from, to } },
    document: { redrive: name, action, from, to, parameter, others },
    nothing: isChange(plan) ? undefined : `the switch of ${name} is ${to} already`,
  };
}

/** Describes what would start, or was requested. */
export function askText(seen: RedriveView, isDone: boolean, site: Site): string {
  const { name, settings } = seen.redrive;
  const prospect = prospectOf(seen);
  const would = `  It ${decisionText(seen.ifAsked.decision)}`;
  const ends: Readonly<Record<RunProspect, string>> = {
    begins: isDone
      ? `Done: its function reads the state again and decides. ${dloCommand(['redrive', 'show', name], site)} shows the result.`
      : `Nothing has been done: ${dloCommand(['redrive', 'run', name, '--execute'], site)} does it.`,
    'nothing-to-do': 'Nothing to do.',
    kept: `No run would start: ${keptText(seen)}.`,
  };
  const lines = [
    `Run ${name}, which sends messages to ${destinationText(settings)}.`,
    ...wrap(would, WIDTH),
    ends[prospect],
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for `--json`. */
export function askDocument(seen: RedriveView, isDone: boolean) {
  const prospect = prospectOf(seen);
  return {
    redrive: seen.redrive.name,
    prospect,
    decision: decisionDocument(seen.ifAsked.decision),
    executed: isDone && prospect === 'begins',
  };
}
