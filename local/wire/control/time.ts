import { isoInstant } from '../../kernel/clock';
import { MemberReader } from '../../kernel/member-reader';
import type { Speed } from '../server/time-driver';
import { type ControlInput, type ControlledSimulation, type ControlRoute, parsedBody, THE_BODY } from './route';

/** How far a step goes if nothing is recorded. */
const LONGEST_STEP_MS = 3_600_000;

/**
 * `POST`: moves virtual time to the next instant that adds events to the trace, at most an hour. `events` is the number of
 * events added.
 */
async function step({ advance, clock, trace }: ControlledSimulation, { onGone }: ControlInput): Promise<object> {
  let before = 0;
  let isWanted = true;
  onGone(() => {
    isWanted = false;
  });
  let answer = {};
  await advance({
    untilMs: () => {
      before = trace.lastSeq;
      return clock.nowMs + LONGEST_STEP_MS;
    },
    isWanted: () => isWanted && trace.lastSeq === before,
    arrived: () => {
      answer = { now: isoInstant(clock.nowMs), events: trace.lastSeq - before };
    },
  });
  return answer;
}

export const STEP_ROUTE: ControlRoute = { POST: step };

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
