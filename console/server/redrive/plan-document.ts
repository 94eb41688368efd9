import type { ManualRedriveOutcome } from '../../../account/manual-redrive/carry-out';
import {
  duplicateText,
  headText,
  hiddenText,
  nextCommand,
  planRows,
  reasonText,
  verdictText,
} from '../../../account/manual-redrive/manual-redrive-words';
import { failureText } from '../../../account/manual-redrive/move-by-task';
import { planIdOf } from '../../../account/manual-redrive/plan-id';
import type { TypedRedrive } from '../../../account/manual-redrive/redrive-terms';
import { queueNameOf } from '../../../account/names';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { totalOf } from '../../../policy/redrive/budget';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { isActive } from '../../../policy/redrive/redrive-runs';
import type { OutcomeDocument, PlanDocument, TaskDocument } from '../../api/redrive';

/** @param unknowns what could not be read, in sentences */
export function planDocument(
  plan: ManualRedrivePlan,
  { command }: TypedRedrive,
  unknowns: readonly string[],
): PlanDocument {
  const id = planIdOf(plan);
  return {
    id,
    queue: plan.deadLetters.name,
    says: headText(plan),
    rows: planRows(plan),
    risks: plan.risks.map(({ weight, says }) => ({ weight, says })),
    unknowns,
    messages: totalOf(plan.deadLetters.depth),
    command: `${command} --execute ${id}`,
  };
}

export function outcomeDocument(
  outcome: ManualRedriveOutcome,
  plan: ManualRedrivePlan,
  typed: TypedRedrive,
): OutcomeDocument {
  const { kind, moved, unsure, undeleted, inQueue, hidden, left, verdict } = outcome;
  const duplicates = duplicateText(outcome, plan);
  return {
    kind,
    reason: reasonText(outcome),
    moved,
    unsure,
    undeleted,
    inQueue: inQueue ?? null,
    became: moved === 0 ? null : verdictText(verdict),
    notes: [...(hidden ? [`${hiddenText(hidden)}. Plan again after that.`] : []), ...(duplicates ? [duplicates] : [])],
    left: left.map(({ messages, example, reason, isMeant }) => ({ messages, example, reason, isMeant })),
    next: nextCommand(outcome, plan, typed) ?? null,
  };
}

export function taskDocument(task: MoveFacts): TaskDocument {
  const { startedAtMs, status, moved, toMove, messagesPerSecond, destinationArn, failureReason } = task;
  return {
    startedAtMs,
    status,
    moved,
    toMove: toMove ?? null,
    rate: messagesPerSecond ?? null,
    to: destinationArn === undefined ? null : queueNameOf(destinationArn),
    failure: failureReason === undefined ? null : failureText(failureReason),
    isRunning: isActive(task),
  };
}
