/**
 * The concurrency of the event source mapping while the breaker is open: the minimum that Lambda accepts.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
 */
export const OPEN_CONCURRENCY = 2;

/** The minimum concurrency of a relay with a breaker. With less, an open breaker would look like a stopped relay. */
export const LEAST_BREAKER_CONCURRENCY = OPEN_CONCURRENCY + 1;

/**
 * The states of the breaker, each with its value of the metric `BreakerState`. Closed: the relay runs normally. Half open:
 * it runs with reduced concurrency. Open: the breaker has disabled its mapping. Stopped by hand: an operator has.
 */
export const BREAKER_STATES = { closed: 0, 'half-open': 1, open: 2, 'stopped-by-hand': 3 } as const;

export type BreakerState = keyof typeof BREAKER_STATES;

/** The event source mapping between a relay's queue and its function. The breaker stores its state in it. */
export interface MappingFacts {
  /** Lambda's name of the state: `Enabled`, `Disabled`, `Updating` … */
  readonly state: string;
  /** Undefined where the mapping has none. */
  readonly maximumConcurrency: number | undefined;
  readonly lastModifiedAtMs: number;
}

export interface AlarmFacts {
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly sinceMs: number;
}

export interface BreakerFacts {
  readonly nowMs: number;
  readonly mapping: MappingFacts;
  /** The mapping's concurrency while the breaker is closed: at least `LEAST_BREAKER_CONCURRENCY`. */
  readonly configuredConcurrency: number;
  readonly alarm: AlarmFacts;
  /**
   * How long it takes until the alarm reflects a change of the mapping. Until then, ALARM is about the time before the
   * change, and OK means nothing.
   */
  readonly settleMs: number;
  /** How long an open breaker waits before its first probe, and between probes. */
  readonly probeIntervalMs: number;
  /** How often the breaker runs. */
  readonly tickMs: number;
}

type BreakerStep =
  /** Disables the mapping, with `OPEN_CONCURRENCY`. */
  | { readonly kind: 'open'; readonly reason: string }
  /** Tries one message, and lets more through if it was delivered: see `afterProbe`. */
  | { readonly kind: 'probe'; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

export type ProbeResult =
  /** No message was visible. `inFlight` messages are being tried, or wait for their next attempt. */
  | { readonly kind: 'no-message'; readonly inFlight: number }
  /**
   * The relay's function failed or was throttled, so the probe says nothing about the endpoint. The message becomes
   * visible again by itself.
   */
  | { readonly kind: 'broken'; readonly reason: string }
  /**
   * `failedAttempts` counts attempts that may succeed if repeated. A message that is neither among them nor delivered
   * was refused for good.
   */
  | {
      readonly kind: 'answered';
      readonly attempts: number;
      readonly delivered: number;
      readonly failedAttempts: number;
    };

/** What follows a probe: the mapping is enabled with this concurrency, or stays as it is. */
type ProbeStep =
  | { readonly kind: 'enable'; readonly maximumConcurrency: number; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

/** The states in which a mapping polls or is about to poll. */
const RUNNING_STATES: readonly string[] = ['Creating', 'Enabled', 'Enabling', 'Updating'];

/** The states in which Lambda accepts a change of the mapping; the others are transitions. */
const SETTLED_STATES: readonly string[] = ['Enabled', 'Disabled'];

/**
 * The breaker's state, derived from its mapping. Only the breaker disables the mapping with `OPEN_CONCURRENCY`. An
 * operator who stops a relay disables the mapping and leaves its concurrency unchanged.
 */
export function breakerState(mapping: MappingFacts, configuredConcurrency: number): BreakerState {
  const { state, maximumConcurrency = configuredConcurrency } = mapping;
  if (RUNNING_STATES.includes(state)) return maximumConcurrency < configuredConcurrency ? 'half-open' : 'closed';
  const isOurs = maximumConcurrency === OPEN_CONCURRENCY && configuredConcurrency >= LEAST_BREAKER_CONCURRENCY;
  return isOurs ? 'open' : 'stopped-by-hand';
}

function leave(reason: string): { readonly kind: 'leave'; readonly reason: string } {
  return { kind: 'leave', reason };
}

function hasSettled({ nowMs, mapping, settleMs }: BreakerFacts): boolean {
  return nowMs - mapping.lastModifiedAtMs >= settleMs;
}

/**
 * Whether an open breaker probes now: at the first tick of each interval since it opened. A failed probe is stored
 * nowhere, so the time alone decides when the next one is due.
 */
function isProbeDue({ nowMs, mapping, probeIntervalMs, tickMs }: BreakerFacts): boolean {
  const openMs = nowMs - mapping.lastModifiedAtMs;
  return openMs >= probeIntervalMs && openMs % probeIntervalMs < tickMs;
}

function whileRunning(facts: BreakerFacts, state: 'closed' | 'half-open'): BreakerStep {
  const { mapping, configuredConcurrency, alarm } = facts;
  if (alarm.state === 'ALARM') {
    if (configuredConcurrency < LEAST_BREAKER_CONCURRENCY) {
      return leave(`a breaker needs a concurrency of at least ${LEAST_BREAKER_CONCURRENCY}`);
    }
    const isFresh = alarm.sinceMs >= mapping.lastModifiedAtMs;
    if (isFresh || hasSettled(facts)) return { kind: 'open', reason: 'too many attempts fail' };
    return leave('the alarm may still reflect the time before the mapping was changed');
  }
  if (state === 'closed') return leave('attempts succeed');
  if (!hasSettled(facts)) return leave('it is too early to see the effect of the last step');
  return { kind: 'probe', reason: 'the last step has had time to take effect' };
}

/**
 * Decides what the breaker does, only from what AWS reports about its mapping and its alarm, so it can run at any time
 * and any number of times. It opens on an alarm. An open relay is probed every `probeIntervalMs`. A half-open relay is
 * probed before each doubling of its concurrency. The breaker never changes a mapping that an operator disabled, or one
 * that is being updated.
 */
export function breakerStep(facts: BreakerFacts): BreakerStep {
  const { mapping, configuredConcurrency } = facts;
  if (!SETTLED_STATES.includes(mapping.state)) return leave(`the mapping is ${mapping.state}`);
  const state = breakerState(mapping, configuredConcurrency);
  switch (state) {
    case 'stopped-by-hand':
      return leave('the mapping was stopped by hand');
    case 'open':
      return isProbeDue(facts)
        ? { kind: 'probe', reason: 'the endpoint has had time to recover' }
        : leave('the endpoint is given time to recover');
    case 'closed':
    case 'half-open':
      return whileRunning(facts, state);
  }
}

/**
 * The concurrency after a successful probe: the minimum for an open relay; twice the current one for a half-open relay.
 */
function nextConcurrency({ mapping, configuredConcurrency }: BreakerFacts): number {
  if (breakerState(mapping, configuredConcurrency) === 'open') return OPEN_CONCURRENCY;
  return Math.min((mapping.maximumConcurrency ?? OPEN_CONCURRENCY) * 2, configuredConcurrency);
}

/**
 * What follows a probe. Only a delivery proves that the endpoint works and lets more messages through. A refusal is
 * final for the message but proves nothing about others: a load balancer without targets also refuses, and then every
 * waiting message would be refused. An alarm in OK proves nothing either: with few messages there are too few attempts
 * to judge.
 *
 * If no message is visible, more are let through as well, because there is no backlog to send. But not while messages
 * are in flight: those have usually failed. When they become visible, a probe will find one.
 */
export function afterProbe(result: ProbeResult, facts: BreakerFacts): ProbeStep {
  if (result.kind === 'broken') return leave(`the probe was interrupted: ${result.reason}`);
  const enable = (reason: string) => ({ kind: 'enable', maximumConcurrency: nextConcurrency(facts), reason }) as const;
  if (result.kind === 'no-message') {
    return result.inFlight > 0
      ? leave('all messages are in flight, and none can be tried')
      : enable('there is no message to try');
  }
  if (result.attempts === 0) return leave('the probe made no attempt');
  if (result.failedAttempts > 0) return leave('the probe failed');
  if (result.delivered === 0) return leave('the endpoint refused the message, which proves nothing about the others');
  return enable('the endpoint answers');
}
