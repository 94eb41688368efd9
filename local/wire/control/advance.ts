import { isoInstant } from '../../kernel/clock';
import { BodyReader, parsedBody } from './body-reader';
import type { ControlInput, ControlledWorld, ControlRoute } from './route';

/** The last instant a JavaScript `Date` can be. */
const LAST_INSTANT_MS = 8.64e15;

const RULE = 'must be an instant as ISO 8601 that is not past';

/**
 * `POST {"seconds":60}` or `{"until":"2026-01-02T00:00:00Z"}`: lets time pass, for as long
 * as the client waits; `events` says how much went into the trace.
 */
async function advance(world: ControlledWorld, { body, onGone }: ControlInput): Promise<object> {
  const given = parsedBody(body);
  const reckoned = (): number => untilOf(new BodyReader(given), world.clock.nowMs);
  // What makes no sense is refused at once; what does begins when it is its turn, and is counted from there.
  reckoned();
  let before = 0;
  let isWanted = true;
  onGone(() => {
    isWanted = false;
  });
  let answer = {};
  await world.advance({
    untilMs: () => {
      before = world.trace.lastSeq;
      return reckoned();
    },
    isWanted: () => isWanted,
    arrived: () => {
      answer = { now: isoInstant(world.clock.nowMs), events: world.trace.lastSeq - before };
    },
  });
  return answer;
}

function untilOf(reader: BodyReader, nowMs: number): number {
  const seconds = reader.number('seconds', 0, Math.floor((LAST_INSTANT_MS - nowMs) / 1000));
  const until = reader.optional('until', RULE, (value): value is string => {
    return typeof value === 'string' && Date.parse(value) >= nowMs;
  });
  if (reader.has('seconds') === reader.has('until')) {
    reader.refuse('the body', 'must hold either seconds or until', reader.has('seconds') ? 'both' : undefined);
  }
  reader.check();
  return until === undefined ? nowMs + (seconds ?? 0) * 1000 : Date.parse(until);
}

export const ADVANCE_ROUTE: ControlRoute = { POST: advance };
