import type { FactReading } from '../../mover/redrive-facts/fact-reader';
import type { RedrivePlan, RedriveRun } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';
import { HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import type { LogLine } from '../shared/log';
import type { ActResult } from './act';

/** How long after a run was stopped each tick logs why: one tick may be lost, and another late. */
const REPORT_STOP_FOR_MS = 2 * MINUTE_MS;

/** How often it is logged again while messages remain: an operator may look only at recent records. */
const REPEAT_STOP_EVERY_MS = HOUR_MS;

/** Earlier moves are in earlier records. */
const MAX_MOVES_SHOWN = 3;

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}

function shownMove({ handle: _, startedAtMs, destinationArn, ...move }: MoveFacts) {
  return { startedAt: instant(startedAtMs), ...move, destination: destinationArn?.split(':').at(-1) };
}

function shownRun({ startedAtMs, ending, ...run }: RedriveRun) {
  const { overAtMs, ...end } = ending ?? {};
  return {
    startedAt: instant(startedAtMs),
    ...run,
    ...(overAtMs !== undefined && { ending: { ...end, overAt: instant(overAtMs) } }),
  };
}

function shownFacts(facts: RedriveFacts) {
  const { killSwitch, deadLetters, destination, failures, moves, isMovesComplete, alarms, mappings } = facts;
  return {
    killSwitch,
    deadLetters: deadLetters ?? 'missing',
    destination,
    failures,
    alarms: Object.fromEntries(alarms.map(({ name, state }) => [name, state])),
    mappings: Object.fromEntries(mappings.map(({ id, state }) => [id, state])),
    moves: moves.slice(0, MAX_MOVES_SHOWN).map(shownMove),
    ...(!isMovesComplete && { isMovesComplete }),
  };
}

/** What one invocation read, planned and did. */
export interface RedriveOutcome extends Pick<FactReading, 'facts' | 'unread'> {
  readonly name: string;
  readonly plan: RedrivePlan;
  readonly done: ActResult;
}

/** Whether a tick would only repeat why a run was stopped, or that the next one has to wait. */
function isOldStop({ facts: { nowMs }, plan: { decision, run } }: RedriveOutcome): boolean {
  const isStopped = decision.kind === 'stop' || (decision.kind === 'leave' && decision.cause === 'resting');
  if (!isStopped || !run?.ending) return false;
  const sinceMs = nowMs - run.ending.overAtMs;
  return sinceMs >= REPORT_STOP_FOR_MS && sinceMs % REPEAT_STOP_EVERY_MS >= MINUTE_MS;
}

/** Whether there is nothing to log: a tick without anything to do, or a stop that is already logged. */
export function isIdle(outcome: RedriveOutcome): boolean {
  const { facts, plan, unread } = outcome;
  const { decision } = plan;
  const isNothing = decision.kind === 'leave' && ['nothing-to-do', 'no-dead-letters'].includes(decision.cause);
  return facts.trigger === 'tick' && (isNothing || isOldStop(outcome)) && unread.length === 0;
}

/** Whether a schedule or an operator asked for a run, messages are there, and none starts: they do not ask again. */
export function isRefused({ facts: { trigger }, plan: { decision } }: Pick<RedriveOutcome, 'facts' | 'plan'>): boolean {
  const isOneRequest = trigger === 'schedule' || trigger === 'operator';
  return isOneRequest && decision.kind === 'leave' && decision.cause !== 'no-dead-letters';
}

function levelOf(outcome: RedriveOutcome): LogLine['level'] {
  const { unread, done, plan } = outcome;
  if (done.failure !== undefined || unread.length > 0) return 'ERROR';
  return plan.decision.kind === 'stop' || isRefused(outcome) ? 'WARN' : 'INFO';
}

/** The log record of an invocation: what it read, decided and why, and what came of it. */
export function redriveRecord(outcome: RedriveOutcome): LogLine {
  const { name, facts, unread, plan, done } = outcome;
  const { decision, run } = plan;
  return {
    level: levelOf(outcome),
    message: 'redrive',
    name,
    trigger: facts.trigger,
    did: decision.kind,
    ...('cause' in decision && { cause: decision.cause }),
    ...(decision.kind === 'start' && {
      step: decision.step,
      carrier: decision.carrier,
      messagesPerSecond: decision.messagesPerSecond,
      messages: decision.messages,
    }),
    reason: decision.reason,
    outcome: done.outcome,
    ...done.detail,
    ...(done.failure !== undefined && { failure: done.failure }),
    state: done.state,
    ...(run && { run: shownRun(run) }),
    saw: shownFacts(facts),
    ...(unread.length > 0 && { unread }),
  };
}
