import { FilterPolicy, parsedObject, readAttributes } from '../policy/filter/filter-policy';
import { FilterPolicyError } from '../policy/filter/filter-tree';
import {
  type EndpointAuthorization,
  type EndpointName,
  type FleetEndpoint,
  groupOf,
  nameCheck,
} from '../policy/fleet/endpoint';
import type { EncryptedSecret, EndpointItem, StateItem } from '../policy/fleet/fleet-items';
import { MAX_EVENT_BYTES } from '../policy/fleet/fleet-messages';
import { FLEET_SETTINGS_VARIABLE, type FleetSettings, readFleetSettings } from '../policy/fleet/fleet-settings';
import { newState } from '../policy/fleet/state-item';
import { atLeast, isObject, must, nonEmptyText } from '../policy/json-members';
import type { Problem } from '../policy/problem';
import type { AttemptQuery, EndpointDescription, ReplayQuery } from './client-options';
import { FleetError, invalid, isConflict } from './fleet-error';
import type { Selection } from './replay';

/** @throws FleetError if there are problems */
export function check(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(...problems);
}

/** @throws FleetError */
export function settingsIn(text: string | undefined): FleetSettings {
  try {
    return readFleetSettings(text);
  } catch (error) {
    const where = `the option settings, or the environment variable ${FLEET_SETTINGS_VARIABLE}`;
    throw new FleetError('invalid', `${where}: ${String(error)}`, { cause: error });
  }
}

export function nameProblems({ tenant, endpoint }: EndpointName): readonly Problem[] {
  return [...nameCheck(tenant, 'tenant'), ...nameCheck(endpoint, 'endpoint')];
}

/** @throws FleetError if the endpoint is not the one, or has not the version, that the caller expects */
export function checkVersion(
  name: EndpointName,
  found: Pick<EndpointItem, 'version' | 'createdAtMs'> | undefined,
  expected: number | undefined,
  createdAtMs = found?.createdAtMs,
): void {
  const { version = 0 } = found ?? {};
  if (expected !== undefined && expected !== version) {
    throw new FleetError('conflict', `${groupOf(name)} has version ${version}, not ${expected}: read it again`);
  }
  if (!found || found.createdAtMs === createdAtMs) return;
  throw new FleetError('conflict', `${groupOf(name)} was removed, and there is another one: read it again`);
}

/** @throws FleetError if another writer came first */
export async function orConflict(name: EndpointName, write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const message = `another writer has changed ${groupOf(name)}: read it again`;
    throw new FleetError('conflict', message, { cause: error });
  }
}

export function missing(client: 'kms' | 'sqs'): FleetError {
  return invalid({ property: client, rule: 'must be a client of the SDK for this call', value: undefined });
}

/** What endpoints get. @throws FleetError if it cannot be JSON, because it contains itself or a `bigint` */
export function dataText(data: string | object): string {
  if (typeof data === 'string') return data;
  try {
    const text: string | undefined = JSON.stringify(data);
    if (text !== undefined) return text;
  } catch (error) {
    throw invalid({ property: 'data', rule: `must be JSON (${String(error).split('\n')[0]})`, value: typeof data });
  }
  throw invalid({ property: 'data', rule: 'must be a string or an object', value: data });
}

export function sizeProblems(body: string): readonly Problem[] {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MAX_EVENT_BYTES) return [];
  return [
    { property: 'the event', rule: `must have at most ${MAX_EVENT_BYTES} bytes as JSON`, value: `${bytes} bytes` },
  ];
}

/** An endpoint as the caller of `put` means it, without what descriptions add; and which one and of which version it must be. */
export function readEndpoint(given: FleetEndpoint | EndpointDescription): {
  readonly endpoint: FleetEndpoint;
  readonly version?: number;
  readonly createdAtMs?: number;
} {
  // Callers without types may give anything: `endpointProblems` judges it.
  if (!isObject(given) || !isDescription(given)) return { endpoint: given };
  const { version, createdAtMs, health, failures, ...others } = given;
  const { disabledReason, failingSinceMs, probeAtMs, previousSecretUntilMs, ...endpoint } = others;
  return { endpoint, version, createdAtMs };
}

function isDescription(given: FleetEndpoint | EndpointDescription): given is EndpointDescription {
  return 'version' in given;
}

/** An endpoint without its secrets. */
export function description(item: EndpointItem, state: StateItem = newState(item)): EndpointDescription {
  const { pk: _, sk: __, secrets, authorization: client, ...endpoint } = item;
  const { clientSecret: ___, ...authorization } = client ?? {};
  const { health, failures, failingSinceMs, probeAtMs, disabledReason } = state;
  const previousSecretUntilMs = secrets[1]?.untilMs;
  return {
    ...endpoint,
    ...(client && { authorization: authorization as EndpointAuthorization }),
    health,
    failures,
    ...(failingSinceMs !== undefined && { failingSinceMs }),
    ...(probeAtMs !== undefined && { probeAtMs }),
    ...(disabledReason !== undefined && { disabledReason }),
    ...(previousSecretUntilMs !== undefined && { previousSecretUntilMs }),
  };
}

/** Only the same client at the same token URL keeps its secret. */
export function clientProblems(
  given: EndpointAuthorization | undefined,
  before: Pick<EndpointAuthorization, 'clientId' | 'tokenUrl'> | undefined,
): readonly Problem[] {
  if (!given || given.clientSecret !== undefined) return [];
  if (before?.clientId === given.clientId && before.tokenUrl === given.tokenUrl) return [];
  const rule = 'must be given: the endpoint has none for this client and token URL';
  return [{ property: 'authorization.clientSecret', rule, value: undefined }];
}

/** Whether it names a message or an endpoint, by which attempts are logged. */
export function isOfMessageOrEndpoint(query: ReplayQuery): query is ReplayQuery & AttemptQuery {
  return 'delivery' in query || (query.tenant !== undefined && query.endpoint !== undefined);
}

/** How many secrets sign at a time: each adds a signature to every request. */
const MOST_SECRETS = 5;

/**
 * The secrets that sign next to a new one: none of them for longer than until then.
 * @throws FleetError if there are too many
 */
export function oldSecrets(item: EndpointItem, mostUntilMs: number, nowMs: number): readonly EncryptedSecret[] {
  const old = item.secrets
    .map(({ untilMs = mostUntilMs, ...secret }) => ({ ...secret, untilMs: Math.min(untilMs, mostUntilMs) }))
    .filter(({ untilMs }) => untilMs > nowMs);
  if (old.length < MOST_SECRETS) return old;
  const until = new Date(Math.min(...old.map(({ untilMs }) => untilMs))).toISOString();
  const what = `${groupOf(item)} has ${old.length} secrets that sign, the oldest until ${until}`;
  throw new FleetError(
    'invalid',
    `${what}: wait until then, or let only the new one sign (overlapSeconds: 0, dlo fleet rotate --now)`,
  );
}

/** Callers without types may name anything. */
export const replaySource = must('must be dead-letters or log', it => it === 'dead-letters' || it === 'log');

/** @throws FleetError */
export function selectionOf(query: ReplayQuery): Selection['isWanted'] {
  if ('delivery' in query) {
    check(nonEmptyText(query.delivery, 'delivery'));
    return ({ id }) => id === query.delivery;
  }
  const { sinceMs, dataFilter = {}, tenant, endpoint } = query;
  const names = endpoint === undefined && tenant === undefined ? [] : nameCheck(tenant, 'tenant');
  check([
    ...names,
    ...(endpoint === undefined ? [] : nameCheck(endpoint, 'endpoint')),
    ...atLeast(0)(sinceMs, 'sinceMs'),
  ]);
  const policy = compiled(dataFilter);
  const filterable = readAttributes({});
  return delivery => {
    if (tenant !== undefined && delivery.tenant !== tenant) return false;
    if (endpoint !== undefined && delivery.endpoint !== endpoint) return false;
    if (delivery.sentAtMs < sinceMs) return false;
    if (Object.keys(dataFilter).length === 0) return true;
    return policy.rejects({ filterable, document: parsedObject(delivery.data) }) === undefined;
  };
}

function compiled(filter: Readonly<Record<string, unknown>>): FilterPolicy {
  try {
    return new FilterPolicy(JSON.stringify(filter), 'MessageBody');
  } catch (error) {
    if (!(error instanceof FilterPolicyError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw invalid({ property: 'dataFilter', rule: `must be a filter policy of SNS (${reason})`, value: filter });
  }
}
