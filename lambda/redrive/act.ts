import { type AwsFailure, awsFailureOf, failureKindOf } from '../../mover/aws/aws-calls';
import type { CancelResult } from '../../mover/aws/move-tasks';
import type { RedriveDecision, RedrivePlan, RedriveState } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { CheckPass } from './plan';
import type { PassProgress, StartDecision, StepResult, StepRunner } from './step-runner';

export interface ActResult {
  readonly outcome:
    | 'done'
    /** The redrive is disabled: nothing was done. */
    | 'dry-run'
    /** An operator, or another run of the function, is moving messages. */
    | 'already-running'
    /** A move started after the facts were read. The next tick decides again. */
    | 'moved-meanwhile'
    /** The task to be cancelled had already ended. */
    | 'over-already'
    /** SQS does not move messages of this queue, and the function cannot copy them. */
    | 'no-dead-letter-queue'
    | AwsFailure['outcome'];
  readonly state: RedriveState;
  /** Whether a run has started. */
  readonly isBegun: boolean;
  /** Further fields of the log record. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Set if an operator has to act. */
  readonly failure?: string;
}

type CancelDecision = Extract<RedriveDecision, { kind: 'cancel' }>;

/** What `actor` needs. */
export interface ActingPorts {
  /** If false, the function only reports what it would do. */
  readonly enabled: boolean;
  readonly runners: Partial<Readonly<Record<StartDecision['carrier'], StepRunner>>>;
  readonly cancel: (handle: string) => Promise<CancelResult>;
  /** Reads the tasks of the dead-letter queue as they are now, the newest first. */
  readonly tasks: () => Promise<readonly MoveFacts[]>;
  readonly check: CheckPass;
}

export interface ActOrder {
  readonly plan: RedrivePlan;
  readonly facts: RedriveFacts;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/**
 * Returns a function that carries out a decision. An error of AWS becomes an outcome. The next tick sees what was left undone.
 */
export function actor(ports: ActingPorts): (order: ActOrder) => Promise<ActResult> {
  return async order => {
    const { plan } = order;
    const { decision, state } = plan;
    const isAct = decision.kind === 'start' || decision.kind === 'cancel';
    if (!isAct) return { outcome: 'done', state, isBegun: false };
    if (!ports.enabled) {
      return { outcome: 'dry-run', state: decision.kind === 'start' ? notBegun(decision) : 'moving', isBegun: false };
    }
    return decision.kind === 'start' ? startStep(decision, order, ports) : cancel(decision, plan, ports);
  };
}

async function startStep(
  decision: StartDecision,
  { facts, remainingMs }: ActOrder,
  ports: ActingPorts,
): Promise<ActResult> {
  const blocked = await startBlockedBy(decision, facts, ports);
  if (blocked) return blocked;
  const { runStartedAtMs = facts.nowMs, messagesPerSecond } = decision;
  const startBy = (carrier: StartDecision['carrier']): Promise<StepResult> => {
    const runner = ports.runners[carrier];
    const movePass = { carrier, status: 'RUNNING', messagesPerSecond } as const;
    const check = (progress: PassProgress) => ports.check(facts, { ...movePass, ...progress }, runStartedAtMs);
    const order = { decision: { ...decision, carrier }, facts, runStartedAtMs, remainingMs, check };
    if (runner) return runner.start(order);
    return Promise.resolve({ outcome: 'refused', reason: `the function may not ${carrier}` });
  };
  const result = await startBy(decision.carrier);
  if (result.outcome !== 'refused' || !ports.runners.copy) return afterStart(decision, result);
  return afterStart(decision, await startBy('copy'), result.reason);
}

/** Returns why a step must not start; undefined if it may. */
async function startBlockedBy(
  decision: StartDecision,
  facts: RedriveFacts,
  { tasks }: ActingPorts,
): Promise<ActResult | undefined> {
  const not = { state: notBegun(decision), isBegun: false };
  try {
    return hasNewerTask(facts, await tasks()) ? { outcome: 'moved-meanwhile', ...not } : undefined;
  } catch (error) {
    const failure = awsFailureOf(error, 'ListMessageMoveTasks');
    if (!failure) throw error;
    return { outcome: failure.outcome, ...not, failure: failure.reason };
  }
}

/**
 * Whether a move started after the facts were read. Without this check, a second invocation could start the same step again
 * after a task that ended within moments.
 */
function hasNewerTask(facts: RedriveFacts, tasks: readonly MoveFacts[]): boolean {
  const known = facts.moves.find(({ carrier }) => carrier === 'task');
  return (tasks[0]?.startedAtMs ?? 0) > (known?.startedAtMs ?? 0);
}

const notBegun = ({ step }: StartDecision): RedriveState => (step === 0 ? 'idle' : 'settling');

function afterStart(decision: StartDecision, result: StepResult, taskRefusal?: string): ActResult {
  const isBegun = decision.step === 0;
  const detail = { ...(taskRefusal !== undefined && { refusal: taskRefusal, carrier: 'copy' }) };
  switch (result.outcome) {
    case 'started':
      return { outcome: 'done', state: 'moving', isBegun, detail };
    case 'move-pass': {
      const { outcome: _, ...movePass } = result;
      const state = movePass.cause === undefined ? 'settling' : 'stopped';
      const all = { state, isBegun, detail: { ...detail, movePass } } as const;
      if (movePass.status !== 'FAILED') return { outcome: 'done', ...all };
      return { outcome: failureKindOf(movePass.reason), ...all, failure: movePass.reason };
    }
    case 'already-running':
      return {
        outcome: 'already-running',
        state: 'moving',
        isBegun: false,
        detail: { ...detail, answer: result.reason },
      };
    case 'refused': {
      const { reason } = result;
      const state = notBegun(decision);
      return { outcome: 'no-dead-letter-queue', state, isBegun: false, detail, failure: reason };
    }
    case 'failed': {
      const { code, reason } = result;
      return { outcome: failureKindOf(code), state: notBegun(decision), isBegun: false, detail, failure: reason };
    }
  }
}

async function cancel(
  { handle, cause }: CancelDecision,
  { state }: RedrivePlan,
  ports: ActingPorts,
): Promise<ActResult> {
  const cancelled = await ports.cancel(handle);
  if (cancelled.outcome === 'cancelled') return { outcome: 'done', state, isBegun: false };
  if (cancelled.outcome === 'over-already') {
    return { outcome: 'over-already', state: cause === 'step-done' ? 'settling' : state, isBegun: false };
  }
  return { outcome: cancelled.outcome, state: 'moving', isBegun: false, failure: cancelled.reason };
}
