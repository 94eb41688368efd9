import { DAY_MS, MINUTE_MS } from '../time-units';

/** How an endpoint of a fleet is doing. */
export type Health = 'healthy' | 'suspect' | 'open' | 'draining' | 'disabled';

/** Why an endpoint is disabled: it failed for too long, it answered 410, or a person disabled it. */
export type DisabledReason = 'failing' | 'gone' | 'by-hand';

/** The state of an endpoint. An endpoint without one is `HEALTHY`. */
export interface EndpointState {
  readonly health: Health;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** When the first of them failed, in milliseconds since the Unix epoch. @default - the last attempt succeeded */
  readonly failingSinceMs?: number;
  /** Probes in a row that failed. */
  readonly probes: number;
  /** When the next probe is due. @default - none is */
  readonly probeAtMs?: number;
  /** How many attempts may be under way at a time. @default - any number */
  readonly maxAttempts?: number;
  readonly disabledReason?: DisabledReason;
}

export const HEALTHY: EndpointState = { health: 'healthy', failures: 0, probes: 0 };

export interface HealthSettings {
  /** Failures in a row that make an endpoint suspect. */
  readonly suspectAfter: number;
  /** Failures in a row, and the time from the first to the last of them, that open the breaker of an endpoint. */
  readonly openAfter: number;
  readonly openAfterMs: number;
  /** How many attempts of an endpoint that is not healthy may be under way at a time. */
  readonly slots: number;
  readonly firstProbeMs: number;
  readonly longestProbeMs: number;
  /** How long an endpoint may fail before it is disabled. @default - for ever */
  readonly disableAfterMs?: number;
}

export const DEFAULT_HEALTH_SETTINGS: HealthSettings = {
  suspectAfter: 3,
  openAfter: 10,
  openAfterMs: 30_000,
  slots: 5,
  firstProbeMs: MINUTE_MS,
  longestProbeMs: 30 * MINUTE_MS,
  disableAfterMs: 5 * DAY_MS,
};

/** At most this many attempts are under way while parked messages come back. */
const MOST_DRAINING = 1_000;

/** How an attempt ended: `gone` is the status 410. */
export type AttemptResult = 'delivered' | 'failed' | 'gone';

/** Returns the state after an attempt; the same object if nothing changed, so that nothing needs to be written. */
export function afterAttempt(
  state: EndpointState,
  result: AttemptResult,
  nowMs: number,
  settings: HealthSettings,
): EndpointState {
  if (state.health === 'disabled') return state;
  // The time of the first failure is part of the id of a notice.
  if (result === 'gone') return disabled({ ...state, failingSinceMs: state.failingSinceMs ?? nowMs }, 'gone');
  return result === 'delivered' ? afterSuccess(state, settings) : afterFailure(state, nowMs, settings);
}

function afterSuccess(state: EndpointState, { slots }: HealthSettings): EndpointState {
  switch (state.health) {
    case 'open':
      return { ...HEALTHY, health: 'draining', maxAttempts: slots };
    case 'draining':
      return { ...state, maxAttempts: Math.min(2 * (state.maxAttempts ?? slots), MOST_DRAINING) };
    default:
      return state.failures === 0 ? state : HEALTHY;
  }
}

function afterFailure(state: EndpointState, nowMs: number, settings: HealthSettings): EndpointState {
  const { disableAfterMs = Number.POSITIVE_INFINITY } = settings;
  // A function whose clock is ahead may have written it.
  const failingSinceMs = Math.min(state.failingSinceMs ?? nowMs, nowMs);
  const failures = state.failures + 1;
  const failing = { ...state, failures, failingSinceMs };
  if (state.health === 'open') {
    // Two failures with days between them are not enough, and the owner gets notices only of an endpoint that the prober looks at.
    if (nowMs - failingSinceMs >= disableAfterMs) return disabled(failing, 'failing');
    return opened(failing, state.probes + 1, nowMs, settings);
  }
  const isDown = failures >= settings.openAfter && nowMs - failingSinceMs >= settings.openAfterMs;
  if (isDown || state.health === 'draining') return opened(failing, 0, nowMs, settings);
  if (failures < settings.suspectAfter) return failing;
  return { ...failing, health: 'suspect', maxAttempts: settings.slots };
}

/** The delay before a probe, which doubles with each probe that failed. */
export function probeDelayMs(probes: number, { firstProbeMs, longestProbeMs }: HealthSettings): number {
  return Math.min(firstProbeMs * 2 ** probes, longestProbeMs);
}

function opened(state: EndpointState, probes: number, nowMs: number, settings: HealthSettings): EndpointState {
  return { ...state, health: 'open', probes, probeAtMs: nowMs + probeDelayMs(probes, settings), maxAttempts: 1 };
}

/** The state of an endpoint that gets no more attempts until a person enables it. */
export function disabled({ failures, failingSinceMs }: EndpointState, disabledReason: DisabledReason): EndpointState {
  return {
    health: 'disabled',
    failures,
    probes: 0,
    disabledReason,
    ...(failingSinceMs !== undefined && { failingSinceMs }),
  };
}

/** The state after a person enabled the endpoint: its parked messages come back. */
export const enabled = ({ slots }: HealthSettings): EndpointState => ({
  ...HEALTHY,
  health: 'draining',
  maxAttempts: slots,
});

/** The state when no message is parked any more. */
export const drained = (state: EndpointState): EndpointState => (state.health === 'draining' ? HEALTHY : state);

/** After these parts of the time until an endpoint is disabled, its owner gets a notice. */
const NOTICES = [0.5, 0.8] as const;

/** How many notices are due about an endpoint that fails, from 0 to 2. */
export function noticesDue({ health, failingSinceMs }: EndpointState, nowMs: number, settings: HealthSettings): number {
  const { disableAfterMs } = settings;
  if (health === 'disabled' || failingSinceMs === undefined || disableAfterMs === undefined) return 0;
  return NOTICES.filter(part => nowMs - failingSinceMs >= part * disableAfterMs).length;
}
