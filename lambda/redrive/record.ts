import type { RedrivePlan, RedriveRun } from '../../lib/policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../../lib/policy/redrive/redrive-facts';
import type { LogLine } from '../shared/log';
import type { Done } from './acting';
import type { Gathered } from './facts';

/** Of the moves, so many: what came before them, earlier records tell. */
const MOVES_SHOWN = 3;

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
    moves: moves.slice(0, MOVES_SHOWN).map(shownMove),
    ...(!isMovesComplete && { isMovesComplete }),
  };
}

/** What one invocation comes to. */
export interface Outcome extends Pick<Gathered, 'facts' | 'unread'> {
  readonly name: string;
  readonly plan: RedrivePlan;
  readonly done: Done;
}

/** Whether there is nothing to say: a tick that found letters, and nobody who asks for a run. */
export function isIdle({ facts, plan: { decision }, unread }: Outcome): boolean {
  const isNothing = decision.kind === 'leave' && ['nothing-to-do', 'no-letters'].includes(decision.cause);
  return facts.trigger === 'tick' && isNothing && unread.length === 0;
}

/** Whether somebody who asks but once asked for a run, and there are letters, and none begins: it is for nothing. */
export function isRefused({ facts: { trigger }, plan: { decision } }: Pick<Outcome, 'facts' | 'plan'>): boolean {
  const asksOnce = trigger === 'schedule' || trigger === 'operator';
  return asksOnce && decision.kind === 'leave' && decision.cause !== 'no-letters';
}

function levelOf(outcome: Outcome): LogLine['level'] {
  const { unread, done, plan } = outcome;
  if (done.failure !== undefined || unread.length > 0) return 'ERROR';
  return plan.decision.kind === 'stop' || isRefused(outcome) ? 'WARN' : 'INFO';
}

/** What one invocation saw, decided, why, and what came of it. */
export function redriveRecord(outcome: Outcome): LogLine {
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
