import { type Admission, admission, type Grant, released } from '../../policy/fleet/admission';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import type { EndpointItem, StateItem } from '../../policy/fleet/fleet-items';
import { withResult } from '../../policy/fleet/state-item';
import { MAX_TOKEN_MS } from '../shared/access-token';
import { failureLine } from '../shared/log';
import type { FleetPorts } from './ports';
import { AFTER_FAILURE_MS, type DeliveryInvocation, type ReceivedDelivery } from './received-delivery';
import { ContendedError } from './states';

/** Time for the calls to AWS after the last attempt of an invocation. */
const RESERVE_MS = 15_000;

/** A turn is at most that far ahead. */
export const LONGEST_TURN_MS = 10_000;

/** What is left of an admission. */
export interface Admitted extends Admission {
  readonly left: Grant[];
  readonly places: number[];
  /** Whether the table did not take it. */
  readonly isRefused?: boolean;
}

/** The messages of one receive that are for one endpoint: they ask for slots and turns together. */
export interface Group {
  readonly name: EndpointName;
  wanted: number;
  wantedProbes: number;
  admission?: Promise<Admitted>;
  refused: number;
}

/** The longest time of an attempt, with what follows it. */
export function longestMs(hasAccessToken: boolean, { totalTimeoutMs }: FleetPorts['settings']): number {
  return totalTimeoutMs + (hasAccessToken ? MAX_TOKEN_MS : 0) + RESERVE_MS;
}

/** What is left of an invocation when it receives messages: enough for a turn and an attempt of any endpoint. */
export function receivingMs(settings: FleetPorts['settings']): number {
  return LONGEST_TURN_MS + longestMs(true, settings);
}

/** Takes slots and turns for the messages of one endpoint, in one write. */
export async function admit(
  name: EndpointName,
  { wanted, wantedProbes }: Group,
  endpoint: EndpointItem,
  invocation: DeliveryInvocation,
): Promise<Admitted> {
  const { states, settings, nowMs, accessTokenOf, remainingMs, unrecorded } = invocation;
  const { maxPerSecond } = endpoint;
  const group = groupOf(name);
  const failed = unrecorded.last(group);
  const holdMs = longestMs(endpoint.authorization !== undefined, settings);
  const askFor = ({ health }: StateItem) => (health === 'disabled' ? 0 : health === 'open' ? wantedProbes : wanted);
  const decide = (state: StateItem) =>
    admission(state, askFor(state), { maxPerSecond, holdMs, health: settings.health }, nowMs());
  // Turns must not pass while a token is asked for. Whether there is one, each attempt sees for itself.
  const accessToken = accessTokenOf(endpoint);
  if (accessToken && askFor(states.current(name)) > 0 && remainingMs() >= holdMs) await accessToken.get();
  let admitted: Admission | undefined;
  try {
    const state = await states.change(name, current => {
      admitted = decide(failed ? withResult(current, failed, settings.health) : current);
      return admitted.state;
    });
    unrecorded.forget(group);
    return {
      ...(admitted ?? decide(state)),
      state,
      left: [...(admitted?.grants ?? [])],
      places: [...(admitted?.line ?? [])],
    };
  } catch (error) {
    const now = nowMs();
    const none = { grants: [], line: [], state: states.current(name), retryAtMs: now + AFTER_FAILURE_MS, places: [] };
    reportUnwritten('no slot or turn was taken', error, name, invocation);
    if (error instanceof ContendedError) return { ...none, left: [] };
    const isFree = maxPerSecond === undefined && none.state.health === 'healthy' && unrecorded.mayTry(group, now);
    return { ...none, left: isFree ? [{ startsAtMs: now }] : [], isRefused: true };
  }
}

/** Other deliverers were faster each time, which passes; or the table failed. */
export function reportUnwritten(
  message: string,
  error: unknown,
  name: EndpointName,
  invocation: DeliveryInvocation,
): void {
  const group = groupOf(name);
  if (error instanceof ContendedError) invocation.print(failureLine('WARN', message, error, { group }));
  else invocation.tally.broken(invocation, message, error, { group });
}

/** Gives back a slot without an attempt. If that fails, the slot's time ends. */
export async function giveBack(
  { delivery }: ReceivedDelivery,
  grant: Grant,
  invocation: DeliveryInvocation,
): Promise<void> {
  try {
    await invocation.states.change(delivery, state => released(state, grant));
  } catch (error) {
    reportUnwritten('a slot was not given back', error, delivery, invocation);
  }
}
