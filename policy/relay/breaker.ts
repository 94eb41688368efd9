import { parseObject } from '../json-members';

/**
 * The concurrency of an open breaker's event source mapping: the least Lambda takes.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
 */
export const OPEN_CONCURRENCY = 2;

/** The least concurrency a relay with a breaker can have: with less, nobody could tell an open breaker from a stopped relay. */
export const LEAST_BREAKER_CONCURRENCY = OPEN_CONCURRENCY + 1;

/** How far the breaker lets messages through. The number is what its metric says. */
export const BREAKER_STATES = { closed: 0, 'half-open': 1, open: 2, 'stopped-by-hand': 3 } as const;

export type BreakerState = keyof typeof BREAKER_STATES;

/** The event source mapping between a relay's queue and its function: the breaker keeps its state in it. */
export interface MappingFacts {
  /** As Lambda names it: `Enabled`, `Disabled`, `Updating` … */
  readonly state: string;
  /** Undefined where the mapping has none. */
  readonly maximumConcurrency: number | undefined;
  readonly lastModifiedAtMs: number;
}

/** The alarm on failed attempts. */
export interface AlarmFacts {
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly sinceMs: number;
}

/** All the breaker knows. */
export interface BreakerFacts {
  readonly nowMs: number;
  readonly mapping: MappingFacts;
  /** What the mapping has while the breaker is closed: at least `LEAST_BREAKER_CONCURRENCY`. */
  readonly configuredConcurrency: number;
  readonly alarm: AlarmFacts;
  /**
   * How long a change of the mapping takes to show in the alarm: until then an alarm speaks of the time before, and an OK says
   * nothing yet.
   */
  readonly settleMs: number;
  /** How long an open breaker rests before it probes, and between probes. */
  readonly probeIntervalMs: number;
  /** How often the breaker is asked, whatever happens. */
  readonly tickMs: number;
}

/** What the breaker does. */
export type BreakerStep =
  /** Disables the mapping, with `OPEN_CONCURRENCY`. */
  | { readonly kind: 'open'; readonly reason: string }
  /** Tries one message, and lets more through where that goes well: see `afterProbe`. */
  | { readonly kind: 'probe'; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

/** What a probe brought. */
export type ProbeResult =
  /** None was visible; `inFlight` are being tried, or wait to be tried again. */
  | { readonly kind: 'no-message'; readonly inFlight: number }
  /** The relay's function failed, or was throttled: nobody knows of the endpoint, and the message comes back by itself. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** `failedAttempts` are those a further attempt may mend. What was neither such nor delivered, the endpoint refused for good. */
  | {
      readonly kind: 'answered';
      readonly attempts: number;
      readonly delivered: number;
      readonly failedAttempts: number;
    };

/** What follows a probe: the mapping is enabled with that concurrency, or stays as it is. */
export type ProbeStep =
  | { readonly kind: 'enable'; readonly maximumConcurrency: number; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

/** The states in which a mapping polls, or is about to; in all others it does not. */
const RUNNING_STATES: readonly string[] = ['Creating', 'Enabled', 'Enabling', 'Updating'];

/** The states a mapping stays in by itself; in all others Lambda takes no change. */
const SETTLED_STATES: readonly string[] = ['Enabled', 'Disabled'];

/**
 * What state the mapping says the breaker is in. Who stops a relay by hand disables the mapping and leaves its concurrency
 * alone: only the breaker itself disables it with `OPEN_CONCURRENCY`.
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
 * Whether an open breaker probes now: once in each interval since it was opened, at the first tick of it. Nothing is
 * written down of a probe that failed, and so the time alone says when the next is due.
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
    return leave('the alarm may still speak of the time before the mapping was changed');
  }
  if (state === 'closed') return leave('attempts succeed');
  if (!hasSettled(facts)) return leave('it is too early to say how the last step went');
  return { kind: 'probe', reason: 'the last step has had time to show' };
}

/**
 * What the breaker does, by nothing but what AWS says of its mapping and its alarm: it may be asked at any time and as often
 * as one likes. It opens on an alarm, probes an open relay every `probeIntervalMs`, and a half-open one before it doubles its
 * concurrency, a step at a time. It never touches a mapping somebody stopped by hand, or one that is changing.
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

/** An open relay starts gently, and one that is half open has its concurrency doubled. */
function nextConcurrency({ mapping, configuredConcurrency }: BreakerFacts): number {
  if (breakerState(mapping, configuredConcurrency) === 'open') return OPEN_CONCURRENCY;
  return Math.min((mapping.maximumConcurrency ?? OPEN_CONCURRENCY) * 2, configuredConcurrency);
}

/**
 * What follows a probe. Only a delivery shows that the endpoint works, and so more is let through. A refusal is final for
 * the message, and shows nothing of the others: so answers a load balancer with nothing behind it yet, and all that waits
 * would be refused at the pace. An alarm that is quiet shows nothing either: with few messages it has too few attempts to
 * judge by.
 *
 * Where no message is visible, more is let through as well, for nothing piles up against it; but not while messages wait
 * in flight: those have failed, as a rule. They become visible in the end, and then a probe finds one.
 */
export function afterProbe(result: ProbeResult, facts: BreakerFacts): ProbeStep {
  if (result.kind === 'broken') return leave(`the probe broke off: ${result.reason}`);
  const enable = (reason: string) => ({ kind: 'enable', maximumConcurrency: nextConcurrency(facts), reason }) as const;
  if (result.kind === 'no-message') {
    return result.inFlight > 0
      ? leave('all messages are in flight, and none can be tried')
      : enable('there is no message to try');
  }
  if (result.attempts === 0) return leave('the probe made no attempt');
  if (result.failedAttempts > 0) return leave('the probe failed');
  if (result.delivered === 0) return leave('the endpoint refused the message, which shows nothing of the others');
  return enable('the endpoint answers');
}

/** The environment variable in which the construct hands the breaker's function its settings. */
export const BREAKER_SETTINGS_VARIABLE = 'RELAY_BREAKER_SETTINGS';

/** Everything the function of a relay's breaker knows of itself, as its construct writes it. */
export interface BreakerSettings {
  /** Of the event source mapping from the relay's queue to its function. */
  readonly mappingId: string;
  /** What that mapping has while the breaker is closed. */
  readonly configuredConcurrency: number;
  /** Of the alarm on failed attempts. */
  readonly alarmName: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Of the relay's function, which a probe invokes. */
  readonly functionName: string;
  /** How long a change of the mapping takes to show in the alarm. */
  readonly settleMs: number;
  /** How long an open breaker rests before it probes, and between probes. */
  readonly probeIntervalMs: number;
  /** How often its function runs, whatever happens. */
  readonly tickMs: number;
  /** How long the relay's function may run. */
  readonly functionTimeoutMs: number;
  /** How long the relay's queue keeps a message. */
  readonly retentionMs: number;
}

const TEXTS = ['mappingId', 'alarmName', 'queueUrl', 'queueArn', 'functionName'] as const;
const NUMBERS = [
  'configuredConcurrency',
  'settleMs',
  'probeIntervalMs',
  'tickMs',
  'functionTimeoutMs',
  'retentionMs',
] as const;

/**
 * Reads the settings the construct wrote.
 * @throws Error that names each member that is missing, or makes no sense
 */
export function readBreakerSettings(text: string | undefined): BreakerSettings {
  const members = parseObject(text);
  if (!members) throw new Error(`${BREAKER_SETTINGS_VARIABLE} must be a JSON object`);
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const isPositive = (value: unknown) => Number.isFinite(value) && Number(value) > 0;
  const wrong = [
    ...TEXTS.filter(name => !isText(members[name])).map(name => `${name} must be a text that is not empty`),
    ...NUMBERS.filter(name => !isPositive(members[name])).map(name => `${name} must be a number of more than 0`),
  ];
  if (wrong.length > 0) throw new Error(`${BREAKER_SETTINGS_VARIABLE}: ${wrong.join('; ')}`);
  return members as unknown as BreakerSettings;
}
