import type { ManualRedrivePlan } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../policy/aws-limits';
import type { HeldLease, LeasePorts } from '../changes/queue-lease';
import { changeQueue } from '../changes/queue-lease';
import type { Connection } from '../connection/connection';
import type { Redaction } from '../redaction/redaction';
import { type ManualRedriveOutcome, type ManualRedrivePorts, runManualRedrive } from './carry-out';
import { changesSince, planIdOf } from './plan-id';
import type { RedriveInput } from './read-and-plan';

export function checkSame(id: string, plan: ManualRedrivePlan): void {
  const changes = changesSince(id, plan);
  if (changes.length === 0) return;
  throw new Error(`nothing has been moved. Since ${id} was planned, this has changed: ${changes.join('; ')}`);
}

function checkUnblocked({ risks }: ManualRedrivePlan): void {
  const blocking = risks.find(({ weight }) => weight === 'blocks');
  if (blocking) throw new Error(`nothing has been moved: ${blocking.says}`);
}

function auditDetails({ destination, carrier, messagesPerSecond, filter, selection, deadLetters }: ManualRedrivePlan) {
  const { kind, arn } = destination;
  return { destination: { kind, arn }, carrier, messagesPerSecond, filter, selection, depths: deadLetters.depth };
}

/** Remembers what is to be hidden in errors that name a part of a message. */
function observed(input: RedriveInput, redaction: Redaction): RedriveInput {
  if (!redaction.isOn) return input;
  const matches: RedriveInput['matches'] = message => {
    redaction.observe(message);
    return input.matches?.(message) ?? { kind: 'matches' };
  };
  return { ...input, matches };
}

/** A replay waits for the result of the function. */
function longestCall({ carrier, functionTimeoutSeconds = MAX_FUNCTION_TIMEOUT_SECONDS }: ManualRedrivePlan) {
  return carrier === 'replay' ? { longestCallMs: functionTimeoutSeconds * 1_000 } : {};
}

/** How a plan is carried out. */
export interface RedriveManner {
  /** Hides values of messages in the outcome and the audit record. */
  readonly redaction: Redaction;
  /** Whether to take over the lease of another command. */
  readonly steals: boolean;
  /** Undefined writes no audit record. */
  readonly auditLogGroup: string | undefined;
}

/**
 * Carries out a plan, while a lease keeps other commands away from the queue, and records it.
 * @throws Error if the plan is blocked, another command has the lease, or the record cannot be written. Then nothing has moved.
 */
export async function executePlan(
  aws: Connection,
  plan: ManualRedrivePlan,
  input: RedriveInput,
  { redaction, steals, auditLogGroup }: RedriveManner,
  ports: ManualRedrivePorts & LeasePorts,
): Promise<ManualRedriveOutcome> {
  checkUnblocked(plan);
  const change = {
    queue: plan.deadLetters,
    command: 'dlq redrive',
    plan: planIdOf(plan),
    details: auditDetails(plan),
    steals,
    auditLogGroup,
    ...longestCall(plan),
    work: ({ wait, isLost }: HeldLease) => {
      const isInterrupted = () => ports.isInterrupted() || isLost();
      return runManualRedrive(aws, plan, observed(input, redaction), { ...ports, wait, isInterrupted });
    },
    outcomeOf: (outcome: ManualRedriveOutcome) => ({ ...redaction.everywhere(outcome), left: outcome.left.length }),
  };
  return redaction.everywhere(await changeQueue(aws, change, ports));
}
