import type { Archive } from '../../../account/archive/archive-file';
import { depthsIn, type Look } from '../../../account/messages/each-message';
import type { NamedQueue } from '../../../account/messages/named-queue';
import { andMore, formatNumber, messagesText } from '../../../policy/format-text';
import { depthsDocument, queueDocument } from '../../documents';
import { aboutLines } from '../../text';
import { cutShortText } from '../looking';

/** What a purge would do. */
export interface PurgePlan {
  readonly queue: NamedQueue;
  readonly file: string;
  readonly archive: Archive;
  /** Who has the queue for dead letters. */
  readonly feeders: readonly string[];
}

/** What came of it. */
export interface PurgeOutcome {
  readonly deleted: number;
  /** Seen, and not in the export. */
  readonly kept: number;
  /** Those SQS did not delete. */
  readonly refused: number;
  readonly look: Look;
}

/** Our choice: who feeds a queue that many feed is told by the first of them. */
const MOST_FEEDERS = 5;

function planLines({ queue, file, archive, feeders }: PurgePlan): string[] {
  const { visible, inFlight, delayed } = depthsIn(queue.attributes);
  const { header, end } = archive;
  const complete = end.isComplete ? '' : ', not all there were then';
  return aboutLines([
    ['Export', `${file}: ${messagesText(end.messages)}, exported ${header.exportedAt}${complete}`],
    [
      'In it now',
      `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed, as SQS counts`,
    ],
    ['Fed by', andMore(feeders, MOST_FEEDERS)],
  ]).map(line => `  ${line}`);
}

/** Those of the export that were neither deleted nor kept from it. */
function missingOf({ archive }: PurgePlan, { deleted, refused }: PurgeOutcome): number {
  return archive.end.messages - deleted - refused;
}

/** Whether letters of the export may still be there: they were not met, and SQS counts more than was met. */
export function isUnsure(plan: PurgePlan, outcome: PurgeOutcome): boolean {
  const { visible, inFlight, delayed } = outcome.look.unseen;
  return missingOf(plan, outcome) > 0 && (outcome.look.end !== 'empty' || visible + inFlight + delayed > 0);
}

function outcomeLines(plan: PurgePlan, outcome: PurgeOutcome): string[] {
  const { deleted, kept, refused, look } = outcome;
  const missing = missingOf(plan, outcome);
  const cutShort = cutShortText(look.end);
  const { inFlight, delayed } = look.unseen;
  const unseen =
    inFlight + delayed > 0 ? `; ${formatNumber(inFlight)} in flight elsewhere, ${formatNumber(delayed)} delayed` : '';
  return [
    `${messagesText(deleted)} deleted for good.`,
    ...(kept > 0 ? [`Not in the export, and still there: ${messagesText(kept)}.`] : []),
    ...(refused > 0 ? [`In the export, and not deleted: ${messagesText(refused)}.`] : []),
    ...(missing > 0 ? [`In the export, and not met: ${messagesText(missing)}${unseen}.`] : []),
    ...(cutShort === undefined ? [] : [`${cutShort}: the same command goes on.`]),
  ];
}

const PLANNED = [
  '* Only letters that are in the export are deleted, each by itself; what has come since stays.',
  "Nothing has been deleted: --execute does it, and asks for the queue's name.",
];

/** What would be done, or was. */
export function purgeText(plan: PurgePlan, outcome: PurgeOutcome | undefined): string {
  const end = outcome ? outcomeLines(plan, outcome) : PLANNED;
  return `${[`Purge ${plan.queue.name}`, ...planLines(plan), ...end].join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function purgeDocument(plan: PurgePlan, outcome: PurgeOutcome | undefined) {
  const { queue, file, archive, feeders } = plan;
  return {
    ...queueDocument(queue),
    file,
    messages: archive.end.messages,
    isComplete: archive.end.isComplete,
    depths: depthsDocument(depthsIn(queue.attributes)),
    feeders,
    executed: outcome !== undefined,
    deleted: outcome?.deleted ?? 0,
    kept: outcome?.kept ?? 0,
    refused: outcome?.refused ?? 0,
    missing: outcome ? missingOf(plan, outcome) : null,
    unseen: outcome?.look.unseen ?? null,
    interrupted: outcome?.look.end === 'interrupted',
  };
}
