import { isoInstant, isoInstantMs, LAST_INSTANT_MS } from '../../kernel/clock';
import { MemberReader } from '../../kernel/member-reader';
import { parsedBody, THE_BODY } from './parsed-body';
import type { ControlInput, ControlledSimulation, ControlRoute } from './route';

const RULE = 'must be an instant as ISO 8601, with Z or an offset, that is not past';

/**
 * `POST {"seconds":60}` or `{"until":"2026-01-02T00:00:00Z"}`: lets time pass, for as long
 * as the client waits; `events` says how much went into the trace.
 */
async function advance(world: ControlledSimulation, { body, onGone }: ControlInput): Promise<object> {
  const given = parsedBody(body);
  const reckoned = (): number => untilOf(new MemberReader(given, THE_BODY), world.clock.nowMs);
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

function untilOf(reader: MemberReader, nowMs: number): number {
  const seconds = reader.number('seconds', 0, Math.floor((LAST_INSTANT_MS - nowMs) / 1000));
  const until = reader.optional('until', RULE, (value): value is string => {
    return typeof value === 'string' && (isoInstantMs(value) ?? Number.NEGATIVE_INFINITY) >= nowMs;
  });
  if (reader.has('seconds') === reader.has('until')) {
    reader.refuse(THE_BODY, 'must hold either seconds or until', reader.has('seconds') ? 'both' : undefined);
  }
  reader.check();
  return (until === undefined ? undefined : isoInstantMs(until)) ?? nowMs + (seconds ?? 0) * 1000;
}

export const ADVANCE_ROUTE: ControlRoute = { POST: advance };
