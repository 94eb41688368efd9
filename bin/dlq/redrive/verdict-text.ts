import type { Verdict } from '../../../diagnosis/manual-redrive/verdict';
import { isoInstant } from '../../../local';
import { counted, messagesText } from '../../../policy/wording';
import { formatInstant } from '../../wording';

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
