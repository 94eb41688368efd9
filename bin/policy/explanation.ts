import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import { type RetryPhase, retrySchedule, type ScheduledRetry } from '../../policy/delivery-policy/retry-schedule';
import { formatProblem } from '../../policy/problem';
import { failingPerSecond } from '../../policy/relay/relay-limits';
import type { Rejection, Subject } from './subject';

/** What `dlo policy explain --json` prints. */
export interface Explanation {
  readonly policy: unknown;
  readonly retries: readonly ScheduledRetry[];
  readonly totalSeconds: number;
  /**
   * At what rate of messages that fail a relay comes to hold so many in flight.
   * @default - SNS carries the policy out, or the policy has no delay
   */
  readonly inFlight?: readonly InFlight[];
  readonly problems: readonly ExplainedProblem[];
}

export interface InFlight {
  readonly messages: number;
  readonly failingPerSecond: number;
}

export interface ExplainedProblem {
  readonly property: string;
  readonly rule: string;
  readonly value: unknown;
  readonly message: string;
}

/** A time to the microsecond: what is finer is the noise of adding fractions. */
export function toMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

function inFlightOf({ policy, by }: Subject): Pick<Explanation, 'inFlight'> {
  const marks = Object.values(IN_FLIGHT_MARKS).map(messages => ({
    messages,
    failingPerSecond: failingPerSecond(policy.healthyRetryPolicy, messages),
  }));
  const isEver = marks.every(mark => Number.isFinite(mark.failingPerSecond));
  return by === 'relay' && isEver ? { inFlight: marks } : {};
}

/** A policy and its whole schedule, as data. */
export function explain(subject: Subject): Explanation {
  const { policy } = subject;
  const retries = retrySchedule(policy.healthyRetryPolicy).map(entry => ({
    retry: entry.retry,
    phase: entry.phase,
    delaySeconds: toMicroseconds(entry.delaySeconds),
    atSeconds: toMicroseconds(entry.atSeconds),
  }));
  const totalSeconds = retries.at(-1)?.atSeconds ?? 0;
  return { policy, retries, totalSeconds, ...inFlightOf(subject), problems: [] };
}

/** A policy SNS would not take, and why, as data. */
export function explainRejection({ policy, problems }: Rejection): Explanation {
  return {
    policy,
    retries: [],
    totalSeconds: 0,
    problems: problems.map(problem => ({
      property: problem.property,
      rule: problem.rule,
      value: problem.value,
      message: formatProblem(problem),
    })),
  };
}

/** Retries of one phase, one after the other, that wait alike. */
export interface Run {
  readonly phase: RetryPhase;
  readonly first: ScheduledRetry;
  readonly last: ScheduledRetry;
}

/** The schedule with equal neighbours folded together. */
export function runsOf(retries: readonly ScheduledRetry[]): Run[] {
  const runs: Run[] = [];
  for (const entry of retries) {
    const open = runs.at(-1);
    if (open && open.phase === entry.phase && open.first.delaySeconds === entry.delaySeconds) {
      runs[runs.length - 1] = { ...open, last: entry };
    } else {
      runs.push({ phase: entry.phase, first: entry, last: entry });
    }
  }
  return runs;
}
