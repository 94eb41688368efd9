import { isoInstant, LAST_INSTANT_MS } from '../../kernel/clock';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import type { ActivePeriod } from '../../kernel/script';
import {
  ADDRESSES_RULE,
  type Behaviour,
  HEADERS_RULE,
  isAddresses,
  isHeaders,
  type Resolution,
} from '../../network/behaviour';
import type { NoAnswer, Reply } from '../../network/network';
import type { OutsideEndpoint, ReceivedRequest } from '../../network/outside-endpoint';
import { type ControlledSimulation, type ControlRoute, parsedBody, THE_BODY } from './route';

/** Statuses that mean no answer. */
const NO_ANSWERS: Readonly<Record<string, NoAnswer>> = {
  refuse: 'ECONNREFUSED',
  reset: 'ECONNRESET',
  dns: 'ENOTFOUND',
};

const STATUS_RULE = 'must be a status from 200 to 599, or one of refuse, timeout, reset, dns';

/**
 * `PUT`: sets how the host behaves from now on, as one behavior or a list of them in order; after the last it answers
 * 200. Entries with `addresses` set, in the same order, what the host's name resolves to. `DELETE`: the host answers
 * 200 at its own address again. `GET`: returns every request it received.
 */
export const ENDPOINTS_ROUTE: ControlRoute = {
  PUT: (simulation, input) => {
    const host = simulation.outside.hostFor(input.rest);
    const body = parsedBody(input.body);
    const readers = Array.isArray(body)
      ? body.map((one, i) => new MemberReader(one, `[${i}]`, `[${i}].`))
      : [new MemberReader(body, THE_BODY)];
    const lastMs = LAST_INSTANT_MS - simulation.clock.nowMs;
    const [naming, behaving] = [readers.filter(isOfName), readers.filter(reader => !isOfName(reader))];
    const resolutions = naming.map(reader => resolutionOf(reader, lastMs));
    const behaviours = behaving.map(reader => behaviourOf(reader, lastMs));
    const problems = readers.flatMap(reader => reader.allProblems());
    if (problems.length > 0) throw new InvalidInput(problems);
    return script(simulation.outside.endpoint(host), behaviours, resolutions);
  },
  DELETE: (simulation, input) => {
    const host = simulation.outside.hostFor(input.rest);
    return script(simulation.outside.endpoint(host), [], []);
  },
  GET: (simulation, input) => {
    const host = simulation.outside.hostFor(input.rest);
    return { host, requests: requestsTo(simulation, host).map(received) };
  },
};

/** @throws InvalidInput, without any effect, when the host is an address and an entry has `addresses` */
function script(
  endpoint: OutsideEndpoint,
  behaviours: readonly Behaviour[],
  resolutions: readonly Resolution[],
): object {
  endpoint.resolveTo(...resolutions);
  endpoint.behave(...behaviours);
  return { host: endpoint.hostName, behaviours: behaviours.length, resolutions: resolutions.length };
}

/** Whether the entry sets what the name resolves to, rather than how the host behaves. */
const isOfName = (reader: MemberReader): boolean => reader.has('addresses');

/** Reading the requests of an unknown host must not create the host. */
function requestsTo({ outside }: ControlledSimulation, host: string): readonly ReceivedRequest[] {
  return outside.has(host) ? outside.endpoint(host).requests : [];
}

/** Reads how long an entry of either kind applies. */
function activePeriodOf(reader: MemberReader, lastMs: number): ActivePeriod {
  const forSeconds = reader.number('forSeconds', 0, Math.floor(lastMs / 1000));
  const count = reader.wholeNumber('count', 1);
  return { ...(forSeconds !== undefined && { forMs: forSeconds * 1000 }), ...(count !== undefined && { count }) };
}

function resolutionOf(reader: MemberReader, lastMs: number): Resolution {
  const addresses = reader.optional('addresses', ADDRESSES_RULE, isAddresses) ?? [];
  const latencyMs = reader.number('latencyMs', 0, lastMs) ?? 0;
  return { addresses, latencyMs, ...activePeriodOf(reader, lastMs) };
}

function behaviourOf(reader: MemberReader, lastMs: number): Behaviour {
  const status = reader.optional('status', STATUS_RULE, isStatus) ?? 200;
  const body = reader.text('body') ?? '';
  const headers = reader.optional('headers', HEADERS_RULE, isHeaders) ?? {};
  const latencyMs = reader.number('latencyMs', 0, lastMs) ?? 0;
  const keepAliveMs = reader.number('keepAliveMs', 1, lastMs);
  const reply = replyOf(status, latencyMs, body, headers);
  const kept = reply.kind === 'response' && keepAliveMs !== undefined ? { ...reply, keepAliveMs } : reply;
  return { reply: kept, ...activePeriodOf(reader, lastMs) };
}

function replyOf(
  status: number | string,
  latencyMs: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): Reply {
  if (typeof status === 'number') {
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { kind: 'response', status, headers: Object.fromEntries(lowered), body: Buffer.from(body), latencyMs };
  }
  const code = NO_ANSWERS[status];
  return code === undefined ? { kind: 'silence' } : { kind: 'no-answer', code, latencyMs };
}

const isStatus = (value: unknown): value is number | string =>
  typeof value === 'number'
    ? Number.isInteger(value) && value >= 200 && value <= 599
    : typeof value === 'string' && (value === 'timeout' || Object.hasOwn(NO_ANSWERS, value));

function received({ atMs, address, protocol, method, path, headers, body }: ReceivedRequest): object {
  const text = Buffer.from(body).toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(body);
  return {
    at: isoInstant(atMs),
    atMs,
    address,
    protocol,
    method,
    path,
    headers,
    ...(isText ? { body: text } : { bodyBase64: Buffer.from(body).toString('base64') }),
  };
}
