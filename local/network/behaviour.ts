import net from 'node:net';
import { LAST_INSTANT_MS } from '../kernel/clock';
import { isObject } from '../kernel/json';
import { InvalidInput, MemberReader } from '../kernel/member-reader';
import type { ActivePeriod } from '../kernel/script';
import type { NoAnswer, Reply } from './network';

/** How an outside endpoint behaves for some time. */
export interface Behaviour extends ActivePeriod {
  readonly reply: Reply;
}

const NO_ANSWERS: Readonly<Record<NoAnswer, true>> = {
  ENOTFOUND: true,
  ECONNREFUSED: true,
  ECONNRESET: true,
  ETIMEDOUT: true,
  CERT_HAS_EXPIRED: true,
  HPE_INVALID_CONSTANT: true,
};
const ENDINGS: readonly unknown[] = ['complete', 'reset', 'never', 'endless'];

const isText = (value: unknown): value is string => typeof value === 'string';

/** Objects do not keep a member with this name when they are copied. */
const LOST_NAME = '__proto__';

export const HEADERS_RULE = `must be an object of texts, none of which is named ${LOST_NAME}`;

export const isHeaders = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every(isText) && !Object.hasOwn(value, LOST_NAME);

/** Validates the members of each kind of reply. */
const REPLIES: Readonly<Record<Reply['kind'], (reader: MemberReader, nowMs: number) => void>> = {
  response: (reader, nowMs) => {
    reader.wholeNumber('status', 200, 599);
    if (!reader.has('status')) reader.refuse('status', 'must be a status from 200 to 599', undefined);
    reader.optional('headers', HEADERS_RULE, isHeaders);
    if (!reader.has('headers')) reader.refuse('headers', HEADERS_RULE, undefined);
    reader.optional('body', 'must be bytes', (value): value is Uint8Array => value instanceof Uint8Array);
    if (!reader.has('body')) reader.refuse('body', 'must be bytes', undefined);
    reader.number('latencyMs', 0, LAST_INSTANT_MS - nowMs);
    reader.optional('ending', `must be one of ${ENDINGS.join(', ')}`, (value): value is string =>
      ENDINGS.includes(value),
    );
    reader.number('keepAliveMs', 1, LAST_INSTANT_MS - nowMs);
  },
  'no-answer': (reader, nowMs) => {
    const rule = `must be one of ${Object.keys(NO_ANSWERS).join(', ')}`;
    reader.optional(
      'code',
      rule,
      (value): value is NoAnswer => typeof value === 'string' && Object.hasOwn(NO_ANSWERS, value),
    );
    if (!reader.has('code')) reader.refuse('code', rule, undefined);
    reader.number('latencyMs', 0, LAST_INSTANT_MS - nowMs);
  },
  silence: reader => {
    reader.flag('unreachable');
  },
};

const KIND_RULE = `must be one of ${Object.keys(REPLIES).join(', ')}`;

const isKind = (value: unknown): value is Reply['kind'] => typeof value === 'string' && Object.hasOwn(REPLIES, value);

export function checkBehaviours(behaviours: readonly unknown[], nowMs: number): void {
  const problems = behaviours.flatMap((behaviour, i) => {
    const path = behaviours.length === 1 ? '' : `[${i}].`;
    const reader = new MemberReader(behaviour, `a behaviour${path.slice(0, -1)}`, path);
    reader.number('untilMs', -LAST_INSTANT_MS, Number.POSITIVE_INFINITY);
    reader.number('forMs', 0, Number.POSITIVE_INFINITY);
    reader.wholeNumber('count', 1);
    const reply = new MemberReader(reader.given('reply'), `${path}reply`, `${path}reply.`);
    const kind = reply.optional('kind', KIND_RULE, isKind);
    if (!reply.has('kind') && reply.problemsSoFar.length === 0) reply.refuse('kind', KIND_RULE, undefined);
    if (kind !== undefined) REPLIES[kind](reply, nowMs);
    else return [...reader.allProblems(), ...reply.problemsSoFar];
    return [...reader.allProblems(), ...reply.allProblems()];
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}

/** What a name resolves to for some time. Its `count` is a number of lookups. */
export interface Resolution extends ActivePeriod {
  /** IPv4 and IPv6 addresses, in this order. An empty list means that the name does not exist (`ENOTFOUND`). */
  readonly addresses: readonly string[];
  /** How long a lookup takes, in milliseconds. @default 0 */
  readonly latencyMs?: number;
}

export const ADDRESSES_RULE = 'must be a list of IPv4 and IPv6 addresses';

export const isAddresses = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(it => typeof it === 'string' && net.isIP(it) !== 0);

export function checkResolutions(hostName: string, resolutions: readonly unknown[], nowMs: number): void {
  if (net.isIP(hostName) && resolutions.length > 0) {
    throw new InvalidInput([{ property: 'the host', rule: 'must be a name to resolve to anything', value: hostName }]);
  }
  const problems = resolutions.flatMap((resolution, i) => {
    const path = resolutions.length === 1 ? '' : `[${i}].`;
    const reader = new MemberReader(resolution, `a resolution${path.slice(0, -1)}`, path);
    reader.number('untilMs', -LAST_INSTANT_MS, Number.POSITIVE_INFINITY);
    reader.number('forMs', 0, Number.POSITIVE_INFINITY);
    reader.wholeNumber('count', 1);
    reader.number('latencyMs', 0, LAST_INSTANT_MS - nowMs);
    reader.optional('addresses', ADDRESSES_RULE, isAddresses);
    if (!reader.has('addresses')) reader.refuse('addresses', ADDRESSES_RULE, undefined);
    return reader.allProblems();
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}
