import { MemberReader } from '../../kernel/member-reader';
import { eventDocument } from '../../kernel/trace';
import type { ControlInput, ControlledSimulation, ControlRoute } from './route';

const DEFAULT_LIMIT = 100_000;

/**
 * `GET ?since=N&limit=M`: what happened after the event `N`, oldest first, at most `M` events of it. `next` is what to ask
 * `since` next time.
 */
function trace({ trace: recorded }: ControlledSimulation, { query }: ControlInput): object {
  const reader = new MemberReader(
    Object.fromEntries([...query].map(([name, value]) => [name, numberIn(value)])),
    'the query',
  );
  const since = reader.wholeNumber('since', 0) ?? 0;
  const limit = reader.wholeNumber('limit', 1) ?? DEFAULT_LIMIT;
  reader.check();
  const events = recorded.since(since).slice(0, limit).map(eventDocument);
  return { events, next: events.at(-1)?.seq ?? since };
}

function numberIn(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

export const TRACE_ROUTE: ControlRoute = { GET: trace };
