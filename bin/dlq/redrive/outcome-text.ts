import type { StayingMessages } from '../../../account/manual-redrive/move-step';
import { planIdOf } from '../../../account/manual-redrive/plan';
import { dloCommand } from '../../../account/printed-commands';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/plan';
import type { Verdict } from '../../../diagnosis/manual-redrive/verdict';
import { isoInstant } from '../../../local';
import { counted, messagesText } from '../../../policy/format-text';
import { queueDocument } from '../../documents';
import { foreignText, formatInstant } from '../../text';
import type { Typed } from './options';
import { placeText } from './plan-text';

/** Why it ended. */
export type OutcomeKind =
  /** All that should go has gone. */
  | 'moved'
  /** Some of it stays, for reasons of its own. */
  | 'partly'
  /** Letters came back, of the canary or of them all. */
  | 'came-back'
  /** After the canary: nobody takes them. */
  | 'untaken'
  | 'interrupted'
  | 'failed'
  /** SQS moves on, and nobody can follow it. */
  | 'unseen';

/** What came of it. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** For certain. */
  readonly moved: number;
  /** How many were sent without an answer: the destination may have them, and they are here still. */
  readonly unsure: number;
  /** How many of those that moved are here still: SQS has not deleted them. */
  readonly undeleted: number;
  /** Of what was moved last. @default - nobody has waited for it */
  readonly verdict?: Verdict;
  /** How many there are among the dead letters now. @default - it could not be read */
  readonly inQueue?: number;
  /** Letters that stay, and why. */
  readonly left: readonly StayingMessages[];
  /** Why it ended, in words. */
  readonly reason: string;
}

/** Somebody else's words among ours. */
const MOST_CHARACTERS = 300;

/** What is known of what has gone. */
function goneText({ moved, unsure, undeleted }: Outcome): string {
  const gone = `${messagesText(moved)} moved`;
  const there = undeleted === 0 ? '' : `, ${undeleted} of them not deleted`;
  return unsure === 0 ? `${gone}${there}` : `${gone}${there}, and ${unsure} more that may have been`;
}

function stayingText({ left }: Outcome): string {
  const meant = left.filter(({ isMeant }) => isMeant);
  return meant
    .map(({ messages, reason }) => `${messagesText(messages)}: ${foreignText(reason, MOST_CHARACTERS)}`)
    .join('; ');
}

/** What a command ends with that could not do all it should: in one line. Undefined where it could. */
export function shortfallText(outcome: Outcome): string | undefined {
  const { kind, moved, unsure, undeleted, verdict, reason } = outcome;
  const gone = goneText(outcome);
  switch (kind) {
    case 'moved':
      return undefined;
    case 'partly':
      return `not all has gone, with ${gone}: ${stayingText(outcome)}`;
    case 'came-back':
    case 'untaken':
      return `${reason}, with ${gone}: ${verdictText(verdict)}`;
    case 'interrupted':
      return `interrupted, with ${gone}${unsure + undeleted === 0 ? '; none is lost' : ''}`;
    case 'failed':
      return `broken off, with ${gone}: ${reason}`;
    case 'unseen':
      return `lost sight of the task, with ${messagesText(moved)} moved as far as SQS told: ${reason}`;
  }
}

/** What to do next. */
function nextCommand(
  { kind, inQueue = 1, left, verdict }: Outcome,
  { deadLetters: { name } }: ManualRedrivePlan,
  { command, site }: Typed,
): string | undefined {
  if (kind === 'unseen') return dloCommand(['dlq', 'watch', name], site);
  if (kind === 'came-back' || kind === 'untaken' || verdict?.kind === 'came-back')
    return dloCommand(['dlq', 'why', name], site);
  const staying = left.reduce((sum, { messages }) => sum + messages, 0);
  if ((kind === 'moved' || kind === 'partly') && inQueue <= staying) return undefined;
  return command;
}

function leftLines({ left }: Outcome): string[] {
  return left.map(({ messages, reason, example }) => {
    const why = foreignText(reason, MOST_CHARACTERS);
    return `  ${messagesText(messages)}, for instance ${example}: ${why}`;
  });
}

/** What somebody should know who sends on what is there. */
function twiceLines({ unsure, undeleted }: Outcome): string[] {
  if (unsure + undeleted === 0) return [];
  return ['  What was moved and is there still goes a second time where it is sent again.'];
}

/** Where somebody thought better of it. */
export function declinedDocument(plan: ManualRedrivePlan) {
  return { plan: planIdOf(plan), ...queueDocument(plan.deadLetters), outcome: 'declined', moved: 0 };
}

/** What came of it, in words. */
export function outcomeText(outcome: Outcome, plan: ManualRedrivePlan, typed: Typed): string {
  const { moved, verdict, inQueue } = outcome;
  const { deadLetters, destination } = plan;
  const next = nextCommand(outcome, plan, typed);
  const reported = outcome.kind === 'unseen' ? ', as far as SQS told,' : '';
  const became = moved === 0 ? '' : `; ${verdictText(verdict)}`;
  const lines = [
    `${messagesText(moved)} moved${reported} from ${deadLetters.name} to ${placeText(destination)}${became}.`,
    ...(inQueue === undefined ? [] : [`${deadLetters.name} holds ${messagesText(inQueue)} now.`]),
    ...leftLines(outcome),
    ...twiceLines(outcome),
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function outcomeDocument(outcome: Outcome, plan: ManualRedrivePlan, typed: Typed) {
  const { kind, moved, unsure, undeleted, verdict, inQueue, left, reason } = outcome;
  const next = nextCommand(outcome, plan, typed);
  return {
    plan: planIdOf(plan),
    ...queueDocument(plan.deadLetters),
    destination: { kind: plan.destination.kind, arn: plan.destination.arn },
    carrier: plan.carrier,
    outcome: kind,
    reason,
    moved,
    unsure,
    undeleted,
    verdict: verdict?.kind ?? null,
    cameBack: verdict?.kind === 'came-back' ? verdict.returned : 0,
    mayComeBackUntil: untilOf(verdict),
    inQueue: inQueue ?? null,
    left: left.map(({ reason: why, messages, example }) => ({ reason: why, messages, example })),
    next: next ?? null,
  };
}

function unprovenText({ untilMs }: Extract<Verdict, { kind: 'unproven' }>): string {
  return untilMs === undefined
    ? 'what became of them nobody can tell'
    : `none came back so far, and some may still come back until ${formatInstant(untilMs)}`;
}

function untakenText({ waiting, isRead }: Extract<Verdict, { kind: 'untaken' }>): string {
  const lying = `${messagesText(waiting)} may lie there yet`;
  return isRead
    ? `${lying}: whoever reads it does not keep up, or not at all`
    : `${lying}: no event source mapping that is enabled reads it, and nobody else has taken them`;
}

/** Until when letters may still come back that have not, as JSON has it; null where none may, or nobody knows. */
export function untilOf(verdict: Verdict | undefined): string | null {
  return verdict?.kind === 'unproven' && verdict.untilMs !== undefined ? isoInstant(verdict.untilMs) : null;
}

/** What became of letters that were moved, in a sentence without its full stop. */
export function verdictText(verdict: Verdict | undefined): string {
  switch (verdict?.kind) {
    case 'came-back':
      return `${counted(verdict.returned, 'letter', 'letters')} came back, or as many others have died meanwhile`;
    case 'untaken':
      return untakenText(verdict);
    case 'unproven':
      return unprovenText(verdict);
    case 'well':
      return 'none came back';
    default:
      return 'nobody has waited for what comes back';
  }
}

/** Why the canary holds the others back. */
export const STOPPED = {
  'came-back': 'stopped after the canary',
  untaken: 'stopped after the canary (--canary 0 goes past it)',
} as const;

/** What is said of a canary that lets the others follow. */
export function canaryText(verdict: Extract<Verdict, { kind: 'well' | 'unproven' }>): string {
  if (verdict.kind === 'well') return 'The canary went well.';
  return verdict.untilMs === undefined
    ? 'Nobody can tell how the canary fared.'
    : `Of the canary ${unprovenText(verdict)}.`;
}
