import { HOUR_MS } from '../../../policy/time-units';
import { isoInstant, isoInstantMs } from '../../kernel/clock';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import type { Speed } from '../server/time-driver';
import { type ControlledSimulation, type ControlRoute, movedTime, parsedBody, type Rewind, THE_BODY } from './route';

/** How far a step goes if nothing is recorded. */
const LONGEST_STEP_MS = HOUR_MS;

/** `POST`: moves virtual time to the next instant that adds events to the trace, at most an hour. */
export const STEP_ROUTE: ControlRoute = {
  POST: (simulation, input) => movedTime(simulation, input, () => simulation.clock.nowMs + LONGEST_STEP_MS, true),
};

const SPEED_RULE = 'must be max, or a number of 0 or more';

const isSpeed = (speed: unknown): speed is Speed =>
  speed === 'max' || (typeof speed === 'number' && Number.isFinite(speed) && speed >= 0);

/** `PUT {"speed":60}`: how fast virtual time moves from now on, as `--speed`. `GET`: how fast it moves, and the number of the last event. */
export const SPEED_ROUTE: ControlRoute = {
  PUT: async (simulation, { body }) => {
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const wanted = reader.optional('speed', SPEED_RULE, isSpeed);
    if (!reader.has('speed')) reader.refuse('speed', SPEED_RULE, undefined);
    reader.check();
    if (wanted !== undefined) await simulation.setSpeed(wanted);
    return { speed: simulation.speed };
  },
  GET: ({ speed, clock, trace }) => ({ speed, now: isoInstant(clock.nowMs), lastSeq: trace.lastSeq }),
};

function rewindOf({ rewind }: ControlledSimulation): Rewind {
  if (rewind) return rewind;
  const rule = 'cannot return to an earlier point: call listen({ rewindable: true }), as dlo local does';
  throw new InvalidInput([{ property: 'this server', rule, value: undefined }]);
}

/** `POST`: remembers this point of the run. `GET`: when the run began, and the names of the remembered points. */
export const SNAPSHOT_ROUTE: ControlRoute = {
  POST: simulation => rewindOf(simulation).take(),
  GET: simulation => {
    const rewind = rewindOf(simulation);
    return { began: isoInstant(rewind.beganMs), snapshots: rewind.names() };
  },
};

/**
 * `POST {"snapshot":"snapshot-1"}` or `{"until":"2026-01-02T00:00:00Z"}`: begins again from the same assembly and seed, and
 * repeats every request until that point or instant.
 */
export const RESTORE_ROUTE: ControlRoute = {
  POST: async (simulation, { body, reachedAt }) => {
    const rewind = rewindOf(simulation);
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const names = rewind.names();
    const rule = `must be a snapshot: there are ${names.join(', ') || 'none'}`;
    const snapshot = reader.optional('snapshot', rule, (it): it is string => names.includes(String(it)));
    const { nowMs } = simulation.clock;
    const untilRule = `must be an instant in ISO 8601, with Z or an offset, from ${isoInstant(rewind.beganMs)} to now`;
    const until = reader.optional('until', untilRule, (it): it is string => {
      const atMs = typeof it === 'string' ? isoInstantMs(it) : undefined;
      return atMs !== undefined && atMs >= rewind.beganMs && atMs <= nowMs;
    });
    if (reader.has('snapshot') === reader.has('until')) {
      reader.refuse(THE_BODY, 'must hold either snapshot or until', reader.has('until') ? 'both' : undefined);
    }
    reader.check();
    const untilMs = until === undefined ? undefined : isoInstantMs(until);
    return rewind.restore(untilMs === undefined ? { snapshot } : { untilMs }, reachedAt);
  },
};

/** `POST`: begins again from the same assembly and seed, without any request. */
export const RESET_ROUTE: ControlRoute = {
  POST: (simulation, { reachedAt }) => rewindOf(simulation).restore({ snapshot: undefined }, reachedAt),
};
