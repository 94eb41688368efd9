import type { LeftLetters } from '../../../lambda/redrive/ports';
import type { HandPlan } from '../../../lib/policy/redrive-by-hand/hand-plan';
import type { Verdict } from '../../../lib/policy/redrive-by-hand/verdict';
import { lettersText } from '../../../lib/policy/wording';
import { foreignText } from '../../wording';
import { planIdOf } from './plan-id';
import { untilOf, verdictText } from './verdict-text';
import { placeText } from './wording';

/** Why it ended. */
export type OutcomeKind =
  /** All that should go has gone. */
  | 'moved'
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
  readonly moved: number;
  /** Of what was moved last. @default - nobody has waited for it */
  readonly verdict?: Verdict;
  /** How many there are among the dead letters now. @default - it could not be read */
  readonly inQueue?: number;
  /** Letters that stay, and why. */
  readonly left: readonly LeftLetters[];
  /** Why it ended, in words. */
  readonly reason: string;
}

/** Somebody else's words among ours. */
const MOST_CHARACTERS = 300;

/** What a command ends with that could not do all it should: in one line. Undefined where it could. */
export function shortfallText({ kind, moved, verdict, reason }: Outcome): string | undefined {
  const after = `${lettersText(moved)} moved`;
  switch (kind) {
    case 'moved':
      return undefined;
    case 'came-back':
    case 'untaken':
      return `${reason}, with ${after}: ${verdictText(verdict)}`;
    case 'interrupted':
      return `interrupted, with ${after}; none is lost`;
    case 'failed':
      return `broken off, with ${after}: ${reason}`;
    case 'unseen':
      return `lost sight of the task, with ${after} as far as SQS told: ${reason}`;
  }
}

/** What to do next. */
export function nextCommand({ kind, inQueue = 1, left, verdict }: Outcome, { deadLetters }: HandPlan, command: string) {
  const { name } = deadLetters;
  if (kind === 'unseen') return `dlo dlq watch ${name}`;
  if (kind === 'came-back' || kind === 'untaken' || verdict?.kind === 'came-back') return `dlo dlq why ${name}`;
  const staying = left.reduce((sum, { letters }) => sum + letters, 0);
  if (kind === 'moved' && inQueue <= staying) return undefined;
  return command;
}

function leftLines({ left }: Outcome): string[] {
  return left.map(({ letters, reason, example }) => {
    const why = foreignText(reason, MOST_CHARACTERS);
    return `  ${lettersText(letters)}, for instance ${example}: ${why}`;
  });
}

/** Where somebody thought better of it. */
export function declinedDocument(plan: HandPlan) {
  return { plan: planIdOf(plan), queue: plan.deadLetters.name, outcome: 'declined', moved: 0 };
}

/** What came of it, in words. */
export function outcomeText(outcome: Outcome, plan: HandPlan, command: string): string {
  const { moved, verdict, inQueue } = outcome;
  const { deadLetters, destination } = plan;
  const next = nextCommand(outcome, plan, command);
  const lines = [
    `${lettersText(moved)} moved from ${deadLetters.name} to ${placeText(destination)}; ${verdictText(verdict)}.`,
    ...(inQueue === undefined ? [] : [`${deadLetters.name} holds ${lettersText(inQueue)} now.`]),
    ...leftLines(outcome),
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function outcomeDocument(outcome: Outcome, plan: HandPlan, command: string) {
  const { kind, moved, verdict, inQueue, left, reason } = outcome;
  const next = nextCommand(outcome, plan, command);
  return {
    plan: planIdOf(plan),
    queue: plan.deadLetters.name,
    destination: plan.destination.arn,
    carrier: plan.carrier,
    outcome: kind,
    reason,
    moved,
    verdict: verdict?.kind ?? null,
    cameBack: verdict?.kind === 'came-back' ? verdict.returned : 0,
    mayComeBackUntil: untilOf(verdict),
    inQueue: inQueue ?? null,
    left,
    next: next ?? null,
  };
}
