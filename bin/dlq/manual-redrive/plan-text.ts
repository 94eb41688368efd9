import { depthsDocument, queueDocument } from '../../../account/documents/json-documents';
import { planIdOf } from '../../../account/manual-redrive/plan-id';
import { headText, planRows } from '../../../account/manual-redrive/plan-words';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { totalOf } from '../../../policy/redrive/budget';
import { aboutLines, foreignText, wrap } from '../../shared/terminal-text';

/** A filter expression can be long. */
const MOST_CHARACTERS = 500;

/** Marks of the risks. */
const SIGNS = { blocks: '!', danger: '!', note: '*' } as const;

/**
 * What is planned.
 * @param width of prose
 */
export function planText(plan: ManualRedrivePlan, width: number): string {
  const { risks } = plan;
  const rows = planRows(plan).map(([about, text]) => [about, foreignText(text, MOST_CHARACTERS)] as const);
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
