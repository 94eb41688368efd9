import type { PurgeOutcome, PurgePlan } from '../../../account/archive/purge';
import { depthsIn } from '../../../account/messages/each-message';
import { andMore, formatNumber, messagesText } from '../../../policy/format-text';
import { depthsDocument, queueDocument } from '../../shared/json-documents';
import { aboutLines } from '../../shared/terminal-text';
import { cutShortText } from '../look-at-messages';

/** How many feeders are named. */
const MAX_FEEDERS = 5;

function planLines({ queue, file, archive, feeders }: PurgePlan): string[] {
  const { visible, inFlight, delayed } = depthsIn(queue.attributes);
  const { header, end } = archive;
  const complete = end.isComplete ? '' : ', incomplete';
  return aboutLines([
    ['Export', `${file}: ${messagesText(end.messages)}, exported ${header.exportedAt}${complete}`],
    [
      'Queue now',
      `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed, as SQS counts`,
    ],
    ['Fed by', andMore(feeders, MAX_FEEDERS)],
  ]).map(line => `  ${line}`);
}

/** How many messages of the export were not found in the queue. */
function missingOf({ archive }: PurgePlan, { deleted, refused }: PurgeOutcome): number {
  return archive.end.messages - deleted - refused;
}

/** Whether messages of the export may still be in the queue: they were not found, but SQS counts more than were seen. */
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
    ...(kept > 0 ? [`Not in the export, and kept: ${messagesText(kept)}.`] : []),
    ...(refused > 0 ? [`In the export, but not deleted: ${messagesText(refused)}.`] : []),
    ...(missing > 0 ? [`In the export, but not found: ${messagesText(missing)}${unseen}.`] : []),
    ...(cutShort === undefined ? [] : [`${cutShort}: run the command again to continue.`]),
  ];
}

const PLANNED = [
  '* Only messages that are in the export are deleted, one by one. What arrived since stays.',
  "Nothing has been deleted: --execute does it, and asks for the queue's name.",
];

/** Describes the plan, or what was done. */
export function purgeText(plan: PurgePlan, outcome: PurgeOutcome | undefined): string {
  const end = outcome ? outcomeLines(plan, outcome) : PLANNED;
  return `${[`Purge ${plan.queue.name}`, ...planLines(plan), ...end].join('\n')}\n`;
}

/** The same for `--json`. */
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
