import { isoInstant, LAST_INSTANT_MS } from '../../kernel/clock';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { type Behaviour, isTexts } from '../../network/behaviour';
import type { NoAnswer, Reply } from '../../network/network';
import type { ReceivedRequest } from '../../network/outside-endpoint';
import { parsedBody, THE_BODY } from './parsed-body';
import type { ControlledWorld, ControlRoute } from './route';

/** What comes instead of an answer. */
const NO_ANSWERS: Readonly<Record<string, NoAnswer>> = {
  refuse: 'ECONNREFUSED',
  reset: 'ECONNRESET',
  dns: 'ENOTFOUND',
};

const STATUS_RULE = 'must be a status from 200 to 599, or one of refuse, timeout, reset, dns';

/**
 * `PUT`: from now on the host behaves like this, one behaviour or a list of them in order; it answers 200 once they are
 * over. `DELETE`: it answers 200 from now on. `GET`: every request it got.
 */
export const ENDPOINTS_ROUTE: ControlRoute = {
  PUT: (world, input) => {
    const host = world.outside.hostFor(input.rest);
    const body = parsedBody(input.body);
    const readers = Array.isArray(body)
      ? body.map((one, i) => new MemberReader(one, `[${i}]`, `[${i}].`))
      : [new MemberReader(body, THE_BODY)];
    const lastMs = LAST_INSTANT_MS - world.clock.nowMs;
    const behaviours = readers.map(reader => behaviourOf(reader, lastMs));
    const problems = readers.flatMap(reader => reader.allProblems());
    if (problems.length > 0) throw new InvalidInput(problems);
    world.outside.endpoint(host).behave(...behaviours);
    return { host, behaviours: behaviours.length };
  },
  DELETE: (world, input) => {
    const host = world.outside.hostFor(input.rest);
    world.outside.endpoint(host).behave();
    return { host, behaviours: 0 };
  },
  GET: (world, input) => {
    const host = world.outside.hostFor(input.rest);
    return { host, requests: requestsTo(world, host).map(received) };
  },
};

/** A host nobody has asked for stays one nobody has asked for. */
function requestsTo({ outside }: ControlledWorld, host: string): readonly ReceivedRequest[] {
  return outside.has(host) ? outside.endpoint(host).requests : [];
}

function behaviourOf(reader: MemberReader, lastMs: number): Behaviour {
  const status = reader.optional('status', STATUS_RULE, isStatus) ?? 200;
  const body = reader.text('body') ?? '';
  const headers = reader.optional('headers', 'must be an object of texts', isTexts) ?? {};
  const latencyMs = reader.number('latencyMs', 0, lastMs) ?? 0;
  const forSeconds = reader.number('forSeconds', 0, Math.floor(lastMs / 1000));
  const count = reader.wholeNumber('count', 1);
  return {
    reply: replyOf(status, latencyMs, body, headers),
    ...(forSeconds !== undefined && { forMs: forSeconds * 1000 }),
    ...(count !== undefined && { count }),
  };
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

function received({ atMs, protocol, method, path, headers, body }: ReceivedRequest): object {
  const text = Buffer.from(body).toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(body);
  return {
    at: isoInstant(atMs),
    atMs,
    protocol,
    method,
    path,
    headers,
    ...(isText ? { body: text } : { bodyBase64: Buffer.from(body).toString('base64') }),
  };
}
