import { addressGuards } from '../address-guard';
import type { RetryPolicy } from '../delivery-policy/delivery-policy';
import { FilterPolicy } from '../filter/filter-policy';
import { FilterPolicyError } from '../filter/filter-tree';
import {
  isObject,
  type JsonObject,
  listOf,
  type MemberRule,
  memberProblems,
  must,
  UNKNOWN_MEMBER,
  wholeNumber,
} from '../json-members';
import type { Problem } from '../problem';
import { readDestination } from '../relay/destination';
import { hiddenText, TOKEN_REQUEST, type TokenRequest } from '../relay/oauth';
import { requestHeaders, retryPolicy } from '../relay/relay-settings';
import { webUrlProblems } from '../web-url';

/** The names of an endpoint: unique together. */
export interface EndpointName {
  readonly tenant: string;
  readonly endpoint: string;
}

/** The endpoint of a fleet, as its owner describes it. */
export interface FleetEndpoint extends EndpointName {
  /** `https`; `http` only within the fleet's `allowedPrivateRanges`. */
  readonly url: string;
  /** The types of the events that it gets: 1 to 90. `*` stands for every type. */
  readonly types: readonly string[];
  /** An SNS filter policy that an event must match. @default - every event of the types */
  readonly filter?: JsonObject;
  /** What the filter is applied to: the attributes of an event, or its `data`. @default 'MessageBody' */
  readonly filterScope?: FilterScope;
  /** @default - the fleet's retry policy */
  readonly retryPolicy?: RetryPolicy;
  /** The most requests a second. @default - no limit */
  readonly maxPerSecond?: number;
  /** Headers of each request in addition to those of the fleet. They are not secret. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
  /** The OAuth 2.0 client whose access tokens the requests carry. @default - none */
  readonly authorization?: EndpointAuthorization;
  /** @default - none */
  readonly description?: string;
}

/** How the requests to an endpoint get access tokens. */
export interface EndpointAuthorization extends TokenRequest {
  readonly clientId: string;
  /** It cannot be read again. @default - the one that the endpoint has for this client and token URL */
  readonly clientSecret?: string;
}

type FilterScope = 'MessageAttributes' | 'MessageBody';

/** An endpoint and its matches change in one transaction, which has at most 100 items. */
const MAX_TYPES = 90;

/** Both names and a slash make a message group id, which has at most 128 characters. */
const NAME = /^[A-Za-z0-9._-]{1,63}$/;

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** The name of a tenant or of an endpoint. */
export const nameCheck = must('must be 1 to 63 letters, digits, dots, underscores or hyphens', value =>
  matches(NAME, value),
);

const TYPE = /^[A-Za-z0-9._:/-]{1,128}$/;

/** The type of an event, such as `invoice.paid`. */
export const eventType = must(
  'must be 1 to 128 letters, digits, dots, underscores, colons, slashes or hyphens',
  value => matches(TYPE, value),
);

/** Stands for every type. */
export const EVERY_TYPE = '*';

const types: MemberRule['check'] = (value, property) => {
  const problems = listOf((type, place) => (type === EVERY_TYPE ? [] : eventType(type, place)))(value, property);
  if (problems.length > 0 || !Array.isArray(value)) return problems;
  const count = new Set(value).size;
  if (count === value.length && count >= 1 && count <= MAX_TYPES) return [];
  return [
    { property, rule: `must be 1 to ${MAX_TYPES} different types`, value: `${value.length} types, ${count} different` },
  ];
};

/** The highest ceiling of an endpoint, in requests a second. */
export const MAX_RATE = 10_000;

const AUTHORIZATION: Readonly<Record<keyof EndpointAuthorization, MemberRule>> = {
  ...TOKEN_REQUEST,
  clientId: { check: hiddenText },
  clientSecret: { check: hiddenText, isOptional: true },
};

/** No value is shown: it may be the secret, under another name. */
function authorization(value: unknown, property: string): readonly Problem[] {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value: typeof value }];
  const problems = memberProblems(AUTHORIZATION, value, `${property}.`);
  return problems.map(hidden);
}

/** A member that is not known may be a secret that was given in the wrong place. */
function hidden(problem: Problem): Problem {
  return { ...problem, value: problem.value === undefined ? undefined : typeof problem.value };
}

const MEMBERS: Readonly<Record<Exclude<keyof FleetEndpoint, 'url'>, MemberRule>> = {
  tenant: { check: nameCheck },
  endpoint: { check: nameCheck },
  types: { check: types },
  filter: { check: must('must be an object, an SNS filter policy', isObject), isOptional: true },
  filterScope: {
    check: must('must be MessageAttributes or MessageBody', it => it === 'MessageAttributes' || it === 'MessageBody'),
    isOptional: true,
  },
  retryPolicy: { check: retryPolicy, isOptional: true },
  maxPerSecond: { check: wholeNumber(1, MAX_RATE), isOptional: true },
  headers: { check: requestHeaders, isOptional: true },
  authorization: { check: authorization, isOptional: true },
  description: {
    check: must('must be a string of at most 256 characters', it => typeof it === 'string' && it.length <= 256),
    isOptional: true,
  },
};

function unknownMember(problem: Problem): Problem {
  if (problem.rule !== UNKNOWN_MEMBER) return problem;
  const isOfEndpoint = !problem.property.includes('.');
  const rule = isOfEndpoint ? `${UNKNOWN_MEMBER}: there are url, ${Object.keys(MEMBERS).join(', ')}` : UNKNOWN_MEMBER;
  return { ...hidden(problem), rule };
}

/** Returns everything that is wrong with an endpoint. Names are not resolved. */
export function endpointProblems(value: unknown, allowedPrivateRanges: readonly string[]): readonly Problem[] {
  if (!isObject(value)) return [{ property: 'endpoint', rule: 'must be an object', value }];
  const { url, ...others } = value;
  const tokenUrl = isObject(value['authorization']) ? value['authorization']['tokenUrl'] : undefined;
  return [
    ...urlProblems('url', url, allowedPrivateRanges),
    ...(typeof tokenUrl === 'string' ? urlProblems('authorization.tokenUrl', tokenUrl, allowedPrivateRanges) : []),
    ...memberProblems(MEMBERS, others, '').map(unknownMember),
    ...headerProblems(others),
    ...filterProblems(others),
    ...sizeProblems(value),
  ];
}

function urlProblems(property: string, url: unknown, allowedPrivateRanges: readonly string[]): readonly Problem[] {
  if (typeof url !== 'string') return webUrlProblems(property, url);
  const reading = readDestination(property, url, addressGuards(allowedPrivateRanges), false);
  return reading.kind === 'refused' ? [reading.problem] : [];
}

/** An access token would replace the user's own header. */
function headerProblems({ authorization, headers }: JsonObject): readonly Problem[] {
  if (authorization === undefined || !isObject(headers)) return [];
  const given = Object.keys(headers).filter(name => name.toLowerCase() === 'authorization');
  const rule = 'must be absent where authorization is present';
  return given.map(name => ({ property: `headers.${name}`, rule, value: name }));
}

/** A filter is copied to each type of the endpoint, and all of them are written in one transaction of at most 4 MB. */
const MAX_FILTER_BYTES = 4_096;

function filterProblems({ filter, filterScope }: JsonObject): readonly Problem[] {
  const text = isObject(filter) ? JSON.stringify(filter) : '{}';
  const refused = (rule: string) => [{ property: 'filter', rule, value: filter }];
  if (Buffer.byteLength(text) > MAX_FILTER_BYTES) return refused(`must take at most ${MAX_FILTER_BYTES} bytes as JSON`);
  try {
    new FilterPolicy(text, filterScope === 'MessageAttributes' ? filterScope : 'MessageBody');
    return [];
  } catch (error) {
    if (!(error instanceof FilterPolicyError)) throw error;
    const [reason = ''] = error.message.split('\n');
    return refused(`must be a filter policy of SNS (${reason})`);
  }
}

/** An item of DynamoDB has at most 400 KB, and the deliverer reads one for each message. */
const MAX_ENDPOINT_BYTES = 32_768;

function sizeProblems(value: JsonObject): readonly Problem[] {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_ENDPOINT_BYTES) return [];
  return [
    { property: 'endpoint', rule: `must take at most ${MAX_ENDPOINT_BYTES} bytes as JSON`, value: `${bytes} bytes` },
  ];
}

/** Why no request is made to an endpoint: the fleet itself cannot read one of its secrets. */
export function unreadableSecret(which: string, reason: string): string {
  return `the ${which} secret cannot be read: ${reason.replace(/^Error: /, '')}`;
}

export function isUnreadableSecret(reason: string): boolean {
  return reason.includes('secret cannot be read: ');
}

/** The group of an endpoint's messages, and the name under which its state and its parked messages are kept. */
export function groupOf({ tenant, endpoint }: EndpointName): string {
  return `${tenant}/${endpoint}`;
}
