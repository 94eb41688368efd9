import { type AwsFailure, awsFailureOf, failureKindOf } from '../../mover/aws-calls';
import type { PassProgress, StartDecision, StepResult, StepRunner } from '../../mover/move-step';
import type { CancelResult } from '../../mover/move-tasks';
import type { RedriveDecision, RedrivePlan, RedriveState } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { CheckPass } from './plan';

/** What came of a decision. */
export interface ActResult {
  readonly outcome:
    | 'done'
    /** The redrive is off: nothing was done. */
    | 'dry-run'
    /** Somebody moves messages already. */
    | 'already-running'
    /** Somebody has moved messages since the facts were gathered: the next run of the function decides anew. */
    | 'moved-meanwhile'
    /** What was to be cancelled had ended. */
    | 'over-already'
    /** SQS moves nothing of this queue, and nobody can copy. */
    | 'no-dead-letter-queue'
    | AwsFailure['outcome'];
  /** How the redrive stands now. */
  readonly state: RedriveState;
  /** Whether a run has begun. */
  readonly isBegun: boolean;
  /** What the record says beside. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** What went wrong, so that somebody has to see to it. */
  readonly failure?: string;
}

type CancelDecision = Extract<RedriveDecision, { kind: 'cancel' }>;

/** What acting takes. */
export interface ActingPorts {
  /** @default false - it only says what it would do */
  readonly enabled: boolean;
  readonly carriers: Partial<Readonly<Record<StartDecision['carrier'], StepRunner>>>;
  readonly cancel: (handle: string) => Promise<CancelResult>;
  /** The tasks of the dead-letter queue, the newest first, as they are at this instant. */
  readonly tasks: () => Promise<readonly MoveFacts[]>;
  readonly check: CheckPass;
}

/** What an invocation has to act on, and how long for. */
export interface ActOrder {
  readonly plan: RedrivePlan;
  readonly facts: RedriveFacts;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
}

/** How the redrive stands where a step did not begin. */
const notBegun = ({ step }: StartDecision): RedriveState => (step === 0 ? 'idle' : 'settling');

/**
 * Whether somebody began a move since the facts were gathered. A task that ends within a moment would let a second run of
 * the function begin the same step again.
 */
function hasNewerTask(facts: RedriveFacts, tasks: readonly MoveFacts[]): boolean {
  const known = facts.moves.find(({ carrier }) => carrier === 'task');
  return (tasks[0]?.startedAtMs ?? 0) > (known?.startedAtMs ?? 0);
}

function afterStart(decision: StartDecision, started: StepResult, refusal?: string): ActResult {
  const isBegun = decision.step === 0;
  const detail = { ...(refusal !== undefined && { refusal, carrier: 'copy' }) };
  switch (started.outcome) {
    case 'started':
      return { outcome: 'done', state: 'moving', isBegun, detail };
    case 'stint': {
      const { outcome: _, ...movePass } = started;
      const state = movePass.cause === undefined ? 'settling' : 'stopped';
      const all = { state, isBegun, detail: { ...detail, stint: movePass } } as const;
      if (movePass.status !== 'FAILED') return { outcome: 'done', ...all };
      return { outcome: failureKindOf(movePass.reason), ...all, failure: movePass.reason };
    }
    case 'already-running':
      return {
        outcome: 'already-running',
        state: 'moving',
        isBegun: false,
        detail: { ...detail, answer: started.reason },
      };
    case 'refused': {
      const { reason } = started;
      const state = notBegun(decision);
      return { outcome: 'no-dead-letter-queue', state, isBegun: false, detail, failure: reason };
    }
    case 'failed': {
      const { code, reason } = started;
      return { outcome: failureKindOf(code), state: notBegun(decision), isBegun: false, detail, failure: reason };
    }
  }
}

/** What keeps a step from beginning. */
async function startBlockedBy(
  decision: StartDecision,
  facts: RedriveFacts,
  { tasks }: ActingPorts,
): Promise<ActResult | undefined> {
  const not = { state: notBegun(decision), isBegun: false };
  try {
    return hasNewerTask(facts, await tasks()) ? { outcome: 'moved-meanwhile', ...not } : undefined;
  } catch (error) {
    const refusal = awsFailureOf(error, 'ListMessageMoveTasks');
    if (!refusal) throw error;
    return { outcome: refusal.outcome, ...not, failure: refusal.reason };
  }
}

async function startStep(
  decision: StartDecision,
  { facts, remainingMs }: ActOrder,
  ports: ActingPorts,
): Promise<ActResult> {
  const hindered = await startBlockedBy(decision, facts, ports);
  if (hindered) return hindered;
  const { runStartedAtMs = facts.nowMs } = decision;
  const startBy = (carrier: StartDecision['carrier']): Promise<StepResult> => {
    const by = ports.carriers[carrier];
    const { messagesPerSecond } = decision;
    const movePass = { carrier, status: 'RUNNING', messagesPerSecond } as const;
    const check = (soFar: PassProgress) => ports.check(facts, { ...movePass, ...soFar }, runStartedAtMs);
    const order = { decision: { ...decision, carrier }, facts, runStartedAtMs, remainingMs, check };
    return by ? by.start(order) : Promise.resolve({ outcome: 'refused', reason: `the function may not ${carrier}` });
  };
  const started = await startBy(decision.carrier);
  if (started.outcome !== 'refused' || !ports.carriers.copy) return afterStart(decision, started);
  return afterStart(decision, await startBy('copy'), started.reason);
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

/** Does what was decided. Whatever AWS answers is an outcome; what is left undone, the next run of the function sees. */
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
