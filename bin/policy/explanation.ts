import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import { type RetryPhase, retrySchedule, type ScheduledRetry } from '../../policy/delivery-policy/retry-schedule';
import { formatProblem } from '../../policy/problem';
import { failingPerSecond } from '../../policy/relay/relay-limits';
import type { Rejection, Subject } from './policy-subject';

/** The JSON document of `dlo policy explain`. */
export interface PolicyExplanation {
  readonly policy: unknown;
  readonly retries: readonly ScheduledRetry[];
  readonly totalSeconds: number;
  /**
   * The rate of failing messages at which a relay reaches a number of messages in flight.
   * @default - SNS applies the policy, or the policy has no delay
   */
  readonly inFlight?: readonly InFlight[];
  readonly problems: readonly ExplainedProblem[];
}

interface InFlight {
  readonly messages: number;
  readonly failingPerSecond: number;
}

interface ExplainedProblem {
  readonly property: string;
  readonly rule: string;
  readonly value: unknown;
  readonly message: string;
}

/** Rounds to microseconds. The rest is rounding errors of adding fractions. */
function toMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

function inFlightOf({ policy, by }: Subject): Pick<PolicyExplanation, 'inFlight'> {
  const marks = Object.values(IN_FLIGHT_MARKS).map(messages => ({
    messages,
    failingPerSecond: failingPerSecond(policy.healthyRetryPolicy, messages),
  }));
  const isEver = marks.every(mark => Number.isFinite(mark.failingPerSecond));
  return by === 'relay' && isEver ? { inFlight: marks } : {};
}

/** A policy and its whole schedule, as data. */
export function explain(subject: Subject): PolicyExplanation {
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

export function explainRejection({ policy, problems }: Rejection): PolicyExplanation {
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

/** Consecutive retries of a phase with the same delay. */
export interface DelayRun {
  readonly phase: RetryPhase;
  readonly first: ScheduledRetry;
  readonly last: ScheduledRetry;
}

export function runsOf(retries: readonly ScheduledRetry[]): DelayRun[] {
  const runs: DelayRun[] = [];
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
