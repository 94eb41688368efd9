import { queueNameOf } from '../../account/connection/queue-name';
import { RunbookSection } from '../../lib/shared/alarms/runbook-section';
import { messagesLeft } from '../../policy/redrive/budget';
import type { PreconditionState } from '../../policy/redrive/gates';
import { isActive } from '../../policy/redrive/runs';
import { redriveContextOf } from '../../policy/redrive/view';
import { formatDuration, formatNumber, messagesText } from '../../policy/wording';
import { adviceLines } from '../advice-lines';
import { type Column, table } from '../table';
import { aboutLines, foreignText, formatInstant, wrap } from '../wording';
import { adviceOf, type RedriveReport, sectionLink } from './advice';
import type { FailurePlace } from './failure-places';
import { gatesOf, movesOf, type ShownMove } from './gates-and-moves';
import type { RedriveView } from './look';
import type { RepeatedRecord } from './records';
import { carrierText, decisionText, depthText, destinationText, runText, stateText, stepText } from './wording';

const WIDTH = 100;

/** What AWS gives as a reason can be long; the log has the rest. */
const REASON_CHARACTERS = 240;

function budgetText({ redrive: { settings }, facts }: RedriveView): string {
  const left = messagesLeft(redriveContextOf(settings, facts).budget);
  const { messagesPerDay, runsPerDay } = settings;
  const runs = `${runsPerDay} ${runsPerDay === 1 ? 'run' : 'runs'}`;
  return `${formatNumber(left)} of ${messagesText(messagesPerDay)} a day are left; at most ${runs} a day`;
}

function settlingText({ settings }: RedriveView['redrive']): string {
  const settle = formatDuration(settings.settleMs / 1_000);
  return `after each ${settle} to come back; more than ${settings.maxReturnedPercent} % of a step end the run`;
}

function startsText({ settings: { recoveryAlarms } }: RedriveView['redrive']): string[] {
  return recoveryAlarms.length === 0 ? [] : [`once ${recoveryAlarms.join(', ')} has recovered`];
}

function placeText({ queue, depth, emptiedBy }: FailurePlace): string {
  const by = emptiedBy === undefined ? '' : `; emptied by ${emptiedBy}`;
  return `${queueNameOf(queue.arn)}: ${depthText(depth)}${by}`;
}

/** What is said of a redrive, each line with what it is about. */
function factLines(whole: RedriveReport): string[] {
  const { seen, places } = whole;
  const { redrive, facts, byItself, ifAsked } = seen;
  const { settings } = redrive;
  const runbook = sectionLink(whole, RunbookSection.REDRIVE_STOPPED);
  return aboutLines([
    ['Called', settings.name],
    ['From', queueNameOf(settings.deadLetters.arn)],
    ['To', destinationText(settings)],
    ['By', carrierText(settings)],
    ['Starts', ...startsText(redrive)],
    ['Steps', settings.steps.map(stepText).join(', then ')],
    ['Settles', settlingText(redrive)],
    ['Budget', budgetText(seen)],
    ['State', stateText(seen)],
    ['Switch', `${facts.killSwitch}, by ${settings.switchParameter}`],
    ['Letters', depthText(facts.deadLetters)],
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
  { heading: 'Gate', align: 'left', cell: ({ cause }) => cause },
  { heading: '', align: 'left', cell: ({ reason }) => (reason === undefined ? 'open' : `SHUT: ${reason}`) },
];

function whoseText({ isOwn, destinationArn }: ShownMove): string {
  const to = destinationArn === undefined ? 'where each came from' : queueNameOf(destinationArn);
  return isOwn ? 'its own' : `somebody else's, to ${to}`;
}

const MOVE_COLUMNS: readonly Column<ShownMove>[] = [
  { heading: 'Move began', align: 'left', cell: ({ startedAtMs }) => formatInstant(startedAtMs) },
  { heading: 'Status', align: 'left', cell: ({ status }) => status },
  { heading: 'A second', align: 'right', cell: ({ messagesPerSecond }) => `${messagesPerSecond ?? '-'}` },
  { heading: 'Moved', align: 'right', cell: ({ moved }) => formatNumber(moved) },
  { heading: 'Of', align: 'right', cell: ({ toMove }) => (toMove === undefined ? '-' : formatNumber(toMove)) },
  { heading: 'Whose', align: 'left', cell: whoseText },
];

function recordText({ atMs, sinceMs, times, record }: RepeatedRecord): string {
  const { trigger, did, cause, outcome, reason, failure } = record;
  const what = [trigger, did, ...(cause === undefined ? [] : [cause]), outcome].join(' ');
  const again = times === 1 ? '' : ` (${times} times since ${formatInstant(sinceMs)})`;
  return `${formatInstant(atMs)}  ${what}: ${foreignText(failure ?? reason, REASON_CHARACTERS)}${again}`;
}

/** A redrive as a person reads of it. */
export function showText(whole: RedriveReport, records: readonly RepeatedRecord[]): string {
  const { seen } = whole;
  const moves = movesOf(seen);
  const isUnderWay = moves.some(isActive);
  const advice = adviceLines(adviceOf(whole));
  const written = records.length === 0 ? ['none within a day'] : records.flatMap(it => wrap(recordText(it), WIDTH));
  const lines = [
    seen.redrive.name,
    ...factLines(whole),
    '',
    seen.byItself.state === 'moving' ? 'Gates, while letters move' : 'Gates, for a run that would begin now',
    ...table(GATE_COLUMNS, gatesOf(seen)).slice(1),
    ...(moves.length > 0 ? ['', isUnderWay ? 'Moves, one under way' : 'Moves', ...table(MOVE_COLUMNS, moves)] : []),
    '',
    'Last records',
    ...written,
    ...(advice.length > 0 ? ['', 'What to do', ...advice] : []),
  ];
  return `${lines.join('\n')}\n`;
}
