import { isoInstant, isoInstantMs, LAST_INSTANT_MS } from '../../kernel/clock';
import { brief } from '../../kernel/constraints';
import type { ActiveFault, Fault } from '../../kernel/faults';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { eventDocument } from '../../kernel/trace';
import { ENDPOINTS_ROUTE } from './endpoints';
import { MESSAGES_ROUTE, SEND_ROUTE } from './messages';
import {
  type ControlInput,
  type ControlledSimulation,
  type ControlReply,
  type ControlRequest,
  type ControlRoute,
  jsonReply,
  movedTime,
  parsedBody,
  THE_BODY,
} from './route';
import { EMIT_ROUTE, SERVICES_ROUTE } from './services';
import { RESET_ROUTE, RESTORE_ROUTE, SNAPSHOT_ROUTE, SPEED_ROUTE, STEP_ROUTE } from './time';

/**
 * Controls the clock, the trace, outside endpoints and faults over HTTP and JSON, for tests in any language.
 *
 * An invalid request is answered 400, naming each property, its rule and the value.
 */
export class Control {
  /** @param onError receives errors of the embedded AWS or the scenario; the client is answered 500 */
  constructor(
    private readonly simulation: ControlledSimulation,
    private readonly onError: (error: unknown) => void,
  ) {}

  async answer(request: ControlRequest): Promise<ControlReply> {
    const question = request.path.indexOf('?');
    const where = question === -1 ? request.path : request.path.slice(0, question);
    const [name = '', ...rest] = where.slice(PREFIX.length).split('/');
    const query = new URLSearchParams(question === -1 ? '' : request.path.slice(question + 1));
    const route = CONTROL_ROUTES[name];
    if (!route || !Object.hasOwn(CONTROL_ROUTES, name)) {
      const known = Object.keys(CONTROL_ROUTES).map(it => PREFIX + it);
      return jsonReply(404, { message: `there is no ${where}; there are ${known.join(', ')}` });
    }
    const handler = Object.hasOwn(route, request.method) ? route[request.method] : undefined;
    if (!handler) {
      const allow = Object.keys(route).join(', ');
      return jsonReply(405, { message: `${PREFIX}${name} takes ${allow}, got ${request.method}` }, { allow });
    }
    try {
      const reachedAt = request.headers['host'] && `http://${request.headers['host']}`;
      const input = { rest: rest.join('/'), query, body: request.body, reachedAt, onGone: request.onGone };
      return jsonReply(200, await handler(this.simulation, input));
    } catch (error) {
      if (error instanceof InvalidInput) return jsonReply(400, refusal(error));
      this.onError(error);
      return jsonReply(500, { message: error instanceof Error ? error.message : String(error) });
    }
  }
}

const INSTANT_RULE = 'must be an instant in ISO 8601, with Z or an offset, that is not in the past';

/**
 * `POST {"seconds":60}` or `{"until":"2026-01-02T00:00:00Z"}`: moves virtual time while the client waits. `events` is
 * the number of events added to the trace.
 */
async function advance(simulation: ControlledSimulation, input: ControlInput): Promise<object> {
  const given = parsedBody(input.body);
  const endMs = (): number => untilOf(new MemberReader(given, THE_BODY), simulation.clock.nowMs);
  // An invalid request is refused immediately. A valid one begins when other requests have finished moving time, and
  // counts from there.
  endMs();
  return movedTime(simulation, input, endMs);
}

function untilOf(reader: MemberReader, nowMs: number): number {
  const seconds = reader.number('seconds', 0, Math.floor((LAST_INSTANT_MS - nowMs) / 1000));
  const until = reader.optional('until', INSTANT_RULE, (value): value is string => {
    return typeof value === 'string' && (isoInstantMs(value) ?? Number.NEGATIVE_INFINITY) >= nowMs;
  });
  if (reader.has('seconds') === reader.has('until')) {
    reader.refuse(THE_BODY, 'must hold either seconds or until', reader.has('seconds') ? 'both' : undefined);
  }
  reader.check();
  return (until === undefined ? undefined : isoInstantMs(until)) ?? nowMs + (seconds ?? 0) * 1000;
}

const ADVANCE_ROUTE: ControlRoute = { POST: advance };

/**
 * `POST {"endpoint":"https://billing.example.com/orders"}`: confirms the subscriptions of an endpoint, as its owner
 * would. `confirmed` is the number of subscriptions that were waiting.
 */
const CONFIRM_ROUTE: ControlRoute = {
  POST: (simulation, { body }) => {
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const endpoint = reader.text('endpoint');
    if (!reader.has('endpoint')) reader.refuse('endpoint', 'must be a URL or an e-mail address', undefined);
    reader.check();
    const confirmed = endpoint === undefined ? 0 : simulation.confirm(endpoint);
    if (confirmed > 0) return { endpoint, confirmed };
    const rule = 'must be the endpoint of a subscription that waits for confirmation: see GET /_dlo/state';
    throw new InvalidInput([{ property: 'endpoint', rule, value: endpoint }]);
  },
};

/** Answers as soon as everything is deployed and requests are served. */
const HEALTH_ROUTE: ControlRoute = {
  GET: ({ clock, speed }) => ({ status: 'ok', now: isoInstant(clock.nowMs), speed }),
};

const STATE_ROUTE: ControlRoute = { GET: (simulation, { reachedAt }) => simulation.state(reachedAt) };

const DEFAULT_LIMIT = 100_000;

/**
 * `GET ?since=N&limit=M`: returns at most `M` events after the event `N`, oldest first. `next` is the value of `since`
 * for the next request.
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

const TRACE_ROUTE: ControlRoute = { GET: trace };

const STATUS_RULE = 'must be a status from 400 to 599, or throttle';

/**
 * `PUT`: makes a service answer with errors, or late, for some time. `GET`: returns the active faults. `DELETE`: ends
 * every fault.
 */
const FAULTS_ROUTE: ControlRoute = {
  PUT: (simulation, { body }: ControlInput) => {
    simulation.faults.set(faultOf(new MemberReader(parsedBody(body), THE_BODY), simulation));
    return listed(simulation);
  },
  GET: listed,
  DELETE: simulation => {
    simulation.faults.clear();
    return listed(simulation);
  },
};

function faultOf(reader: MemberReader, { clock: { nowMs }, faults }: ControlledSimulation): Fault {
  const subject = faults.readSubject(reader);
  const status = reader.optional('status', STATUS_RULE, isStatus);
  const throttle = reader.flag('throttle') === true || status === 'throttle';
  const forSeconds = reader.number('forSeconds', 0, Math.floor((LAST_INSTANT_MS - nowMs) / 1000));
  const problems = reader.allProblems();
  if (!subject || problems.length > 0) throw new InvalidInput(problems);
  return {
    ...subject,
    ...(throttle && { throttle }),
    ...(status !== 'throttle' && { httpStatus: status }),
    ...(forSeconds !== undefined && { forMs: forSeconds * 1000 }),
  };
}

const isStatus = (value: unknown): value is number | 'throttle' =>
  value === 'throttle' || (Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599);

function listed({ faults }: ControlledSimulation): object {
  return { faults: faults.all.map(faultDocument) };
}

function faultDocument({
  service,
  action,
  resource,
  httpStatus,
  throttle,
  code,
  latencyMs,
  fromMs,
  untilMs,
}: ActiveFault): object {
  const status = throttle === true ? 'throttle' : httpStatus;
  const until = Number.isFinite(untilMs) ? isoInstant(untilMs) : undefined;
  return { service, action, resource, status, code, latencyMs, from: isoInstant(fromMs), until };
}

/** Routes by the path after `/_dlo/`. */
const CONTROL_ROUTES: Readonly<Record<string, ControlRoute>> = {
  advance: ADVANCE_ROUTE,
  confirm: CONFIRM_ROUTE,
  emit: EMIT_ROUTE,
  endpoints: ENDPOINTS_ROUTE,
  faults: FAULTS_ROUTE,
  health: HEALTH_ROUTE,
  messages: MESSAGES_ROUTE,
  reset: RESET_ROUTE,
  restore: RESTORE_ROUTE,
  send: SEND_ROUTE,
  services: SERVICES_ROUTE,
  snapshot: SNAPSHOT_ROUTE,
  speed: SPEED_ROUTE,
  state: STATE_ROUTE,
  step: STEP_ROUTE,
  trace: TRACE_ROUTE,
};

const PREFIX = '/_dlo/';

/** How many characters of an invalid value an error quotes. */
const LONGEST_VALUE = 200;

function refusal({ message, problems }: InvalidInput): object {
  const short = ({ property, rule, value }: InvalidInput['problems'][number]) => {
    const text = brief(value, LONGEST_VALUE);
    return { property, rule, value: text.length > LONGEST_VALUE ? text : value };
  };
  return { message, problems: problems.map(short) };
}
