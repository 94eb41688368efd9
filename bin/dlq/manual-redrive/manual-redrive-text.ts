import { depthsDocument, queueDocument } from '../../../account/documents/json-documents';
import type { ManualRedriveOutcome } from '../../../account/manual-redrive/carry-out';
import {
  duplicateText,
  headText,
  hiddenText,
  nextCommand,
  placeText,
  planRows,
  reasonText,
  verdictText,
} from '../../../account/manual-redrive/manual-redrive-words';
import { planIdOf } from '../../../account/manual-redrive/plan-id';
import type { TypedRedrive } from '../../../account/manual-redrive/redrive-terms';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import type { ManualRedriveVerdict } from '../../../diagnosis/manual-redrive/verdict';
import { counted, messagesText } from '../../../policy/format-text';
import { isoInstant } from '../../../policy/instants';
import { totalOf } from '../../../policy/redrive/budget';
import { aboutLines, foreignText, wrap } from '../../shared/terminal-text';

/** A filter expression can be long. */
const MOST_PLAN_CHARACTERS = 500;

/** Marks of the risks. */
const SIGNS = { blocks: '!', danger: '!', note: '*' } as const;

/**
 * What is planned.
 * @param width of prose
 */
export function planText(plan: ManualRedrivePlan, width: number): string {
  const { risks } = plan;
  const rows = planRows(plan).map(([about, text]) => [about, foreignText(text, MOST_PLAN_CHARACTERS)] as const);
  const lines = [
    headText(plan),
    ...aboutLines(rows).map(line => `  ${line}`),
    ...risks.flatMap(({ weight, says }) => wrap(`${SIGNS[weight]} ${says}.`, width)),
  ];
  return `${lines.join('\n')}\n`;
}

export function howText(plan: ManualRedrivePlan, command: string): string {
  if (totalOf(plan.deadLetters.depth) === 0) return 'Nothing to do: the queue is empty.\n';
  if (plan.risks.some(({ weight }) => weight === 'blocks'))
    return 'Nothing has been moved, and the plan cannot be carried out.\n';
  return `Nothing has been moved. This command does it, if nothing changes before:\n  ${command} --execute ${planIdOf(plan)}\n`;
}

/** The plan for `--json`. */
export function planDocument(plan: ManualRedrivePlan, command: string) {
  const { deadLetters, destination, carrier, whyNoTask, form, messagesPerSecond, canary, filter, selection, risks } =
    plan;
  return {
    plan: planIdOf(plan),
    ...queueDocument(deadLetters),
    depths: depthsDocument(deadLetters.depth),
    destination: { kind: destination.kind, arn: destination.arn },
    carrier,
    ...(whyNoTask !== undefined && { whyNoTask }),
    form,
    messagesPerSecond,
    canary: canary ?? null,
    ...(filter !== undefined && { filter }),
    ...(selection && { selection }),
    settleSeconds: plan.settleMs / 1_000,
    watchSeconds: plan.watchMs / 1_000,
    takesSeconds: plan.takesSeconds,
    risks,
    command: `${command} --execute ${planIdOf(plan)}`,
  };
}

/** The longest text of AWS or of a user in a line of ours. */
const MOST_REASON_CHARACTERS = 300;

/** Describes a finished redrive to an operator. */
export function outcomeText(outcome: ManualRedriveOutcome, plan: ManualRedrivePlan, typed: TypedRedrive): string {
  const { moved, verdict, inQueue } = outcome;
  const { deadLetters, destination } = plan;
  const next = nextCommand(outcome, plan, typed);
  const duplicates = duplicateText(outcome, plan);
  const reported = outcome.kind === 'unseen' ? ', as far as SQS reported,' : '';
  const became = moved === 0 ? '' : `; ${verdictText(verdict)}`;
  const lines = [
    `${messagesText(moved)} moved${reported} from ${deadLetters.name} to ${placeText(destination)}${became}.`,
    ...(inQueue === undefined ? [] : [`${deadLetters.name} holds ${messagesText(inQueue)} now.`]),
    ...leftLines(outcome),
    ...hiddenLines(outcome),
    ...(duplicates === undefined ? [] : [`  ${duplicates}`]),
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function outcomeDocument(outcome: ManualRedriveOutcome, plan: ManualRedrivePlan, typed: TypedRedrive) {
  const { kind, moved, unsure, undeleted, verdict, inQueue, left, hidden } = outcome;
  const next = nextCommand(outcome, plan, typed);
  return {
    plan: planIdOf(plan),
    ...queueDocument(plan.deadLetters),
    destination: { kind: plan.destination.kind, arn: plan.destination.arn },
    carrier: plan.carrier,
    outcome: kind,
    reason: reasonText(outcome),
    moved,
    unsure,
    undeleted,
    verdict: verdict?.kind ?? null,
    returned: verdict?.kind === 'returned' ? verdict.returned : 0,
    mayReturnUntil: mayReturnUntil(verdict),
    inQueue: inQueue ?? null,
    hidden: hidden ? { atMost: hidden.atMost, until: isoInstant(hidden.untilMs) } : null,
    left: left.map(({ reason, messages, example }) => ({ reason, messages, example })),
    next: next ?? null,
  };
}

/** The JSON document of a redrive that the user did not confirm. */
export function declinedDocument(plan: ManualRedrivePlan) {
  return { plan: planIdOf(plan), ...queueDocument(plan.deadLetters), outcome: 'declined', moved: 0 };
}

/** The one-line error of a redrive that did not move all it should. Undefined for one that did. */
export function shortfallText(outcome: ManualRedriveOutcome): string | undefined {
  const { kind, moved, unsure, undeleted, verdict } = outcome;
  const reason = reasonText(outcome);
  const gone = goneText(outcome);
  switch (kind) {
    case 'moved':
      return undefined;
    case 'partly':
      return `not all messages moved (${gone}): ${stayingText(outcome)}`;
    case 'returned':
    case 'not-consumed':
      return `${reason} (${gone}): ${verdictText(verdict)}`;
    case 'interrupted':
      return `interrupted (${gone})${unsure + undeleted === 0 ? '; no message is lost' : ''}`;
    case 'failed':
      return `failed (${gone}): ${reason}`;
    case 'unseen':
      return `lost track of the task (${messagesText(moved)} moved, as far as SQS reported): ${reason}`;
  }
}

function goneText({ moved, unsure, undeleted }: ManualRedriveOutcome): string {
  const gone = `${messagesText(moved)} moved`;
  const there = undeleted === 0 ? '' : `, ${undeleted} of them not deleted`;
  return unsure === 0 ? `${gone}${there}` : `${gone}${there}, and ${unsure} more may have moved`;
}

/** How many reasons a text has, those of most messages first. `--json` has all of them. */
const MOST_REASONS = 10;

function byMessages(left: ManualRedriveOutcome['left']): ManualRedriveOutcome['left'] {
  return [...left].sort((one, other) => other.messages - one.messages);
}

/** The error is one line, and the outcome above it lists more. */
const MOST_IN_LINE = 3;

function stayingText({ left, hidden }: ManualRedriveOutcome): string {
  const meant = byMessages(left.filter(({ isMeant }) => isMeant));
  const texts = meant.map(
    ({ messages, reason }) => `${messagesText(messages)}: ${foreignText(reason, MOST_REASON_CHARACTERS)}`,
  );
  const more = meant.slice(MOST_IN_LINE).reduce((sum, { messages }) => sum + messages, 0);
  const rest = more === 0 ? [] : [`${messagesText(more)}: other reasons`];
  return [...texts.slice(0, MOST_IN_LINE), ...rest, ...(hidden ? [hiddenText(hidden)] : [])].join('; ');
}

function leftLines({ left }: ManualRedriveOutcome): string[] {
  const sorted = byMessages(left);
  const lines = sorted.slice(0, MOST_REASONS).map(({ messages, reason, example }) => {
    const why = foreignText(reason, MOST_REASON_CHARACTERS);
    return `  ${messagesText(messages)}, for instance ${example}: ${why}`;
  });
  const others = sorted.slice(MOST_REASONS);
  if (others.length === 0) return lines;
  const more = others.reduce((sum, { messages }) => sum + messages, 0);
  return [
    ...lines,
    `  ${messagesText(more)} for ${counted(others.length, 'other reason', 'other reasons')} (--json lists them)`,
  ];
}

function hiddenLines({ hidden }: ManualRedriveOutcome): string[] {
  return hidden ? [`  ${hiddenText(hidden)}. Run the command again after that.`] : [];
}

/** Until when messages may still return to the dead-letter queue, for JSON. Null if no message can return, or the time is unknown. */
function mayReturnUntil(verdict: ManualRedriveVerdict | undefined): string | null {
  return verdict?.kind === 'unknown' && verdict.untilMs !== undefined ? isoInstant(verdict.untilMs) : null;
}
