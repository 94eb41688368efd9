import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { addressGuards } from '../../policy/address-guard';
import { parseObject } from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { type BreakerState, breakerState, type MappingFacts } from '../../policy/relay/breaker';
import { BREAKER_RELAYS_VARIABLE } from '../../policy/relay/breaker-event';
import { readDestination } from '../../policy/relay/destination';
import {
  RELAY_SETTINGS_VARIABLE,
  type RelayEndpoint,
  type RelaySettings,
  readRelaySettings,
} from '../../policy/relay/relay-settings';
import { isKnown, knownValue, type MaybeKnown, mapKnown } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { Question } from '../connection/unread-calls';
import { allFunctions, logGroupNameOf, unreadableWarnings, variableOf } from '../inventory/functions';
import { queueNameOf } from '../names';

/** The relays of a Region, and what could not be read of them. */
export interface FoundRelays {
  /** Sorted by name. */
  readonly relays: readonly Relay[];
  readonly warnings: readonly string[];
}

const MAPPINGS: Question = { action: 'lambda:ListEventSourceMappings', tells: 'the event source mappings' };

/** Reads all event source mappings, by the ARN of their function without version or alias. */
function mappingsOf(aws: Connection): Promise<MaybeKnown<ReadonlyMap<string, RelayMapping[]>>> {
  return aws.unread.read(MAPPINGS, undefined, async () => {
    const found = new Map<string, RelayMapping[]>();
    const pages = paginateListEventSourceMappings({ client: aws.client(LambdaClient) }, {});
    for await (const { EventSourceMappings = [] } of pages) {
      for (const reported of EventSourceMappings) {
        const functionArn = (reported.FunctionArn ?? '').split(':').slice(0, 7).join(':');
        found.set(functionArn, [...(found.get(functionArn) ?? []), mappingOf(reported)]);
      }
    }
    return found;
  });
}

function breakerLogsOf(functions: readonly FunctionConfiguration[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const reported of functions) {
    const names = variableOf(reported, BREAKER_RELAYS_VARIABLE)?.split(',') ?? [];
    for (const name of names) found.set(name, logGroupNameOf(reported));
  }
  return found;
}

/**
 * Finds all relays of the Region by the configuration of their functions, not by tags or names. It needs the permissions
 * `lambda:ListFunctions` and `lambda:ListEventSourceMappings`.
 */
export async function findRelays(aws: Connection): Promise<FoundRelays> {
  const [functions, mappings] = await Promise.all([allFunctions(aws), mappingsOf(aws)]);
  const warnings = unreadableWarnings(functions, 'relay');
  const breakerLogs = breakerLogsOf(functions);
  const relays = functions
    .filter(reported => variableOf(reported, RELAY_SETTINGS_VARIABLE) !== undefined)
    .map(reported =>
      relayOf(
        reported,
        mapKnown(mappings, all => all.get(reported.FunctionArn ?? '') ?? []),
        breakerLogs.get(reported.FunctionName ?? ''),
      ),
    );
  for (const { name, problems } of relays) {
    warnings.push(...problems.map(problem => `${name}: ${RELAY_SETTINGS_VARIABLE}: ${problem}`));
  }
  return { relays: relays.sort((a, b) => (a.name < b.name ? -1 : 1)), warnings };
}

export interface RelayMapping extends MappingFacts {
  readonly id: string;
  readonly queueArn: string;
}

/** A deployed relay, as its function, its event source mapping and its breaker are configured. */
export interface Relay {
  readonly name: string;
  readonly logGroupName: string;
  /** Undefined when another version wrote settings that this version cannot read. */
  readonly settings: RelaySettings | undefined;
  readonly problems: readonly string[];
  /** Undefined when it was deleted, or is unknown. */
  readonly mapping: RelayMapping | undefined;
  readonly isMappingUnknown: boolean;
  /** Undefined when it has none. */
  readonly breaker: RelayBreaker | undefined;
}

/** The state of a relay: that of its breaker, or without a breaker, whether it runs. */
export type RelayState = BreakerState | 'running' | 'no-mapping' | 'unknown';

function mappingOf(reported: EventSourceMappingConfiguration): RelayMapping {
  const { UUID = '', EventSourceArn = '', State = '', ScalingConfig, LastModified } = reported;
  return {
    id: UUID,
    queueArn: EventSourceArn,
    state: State,
    maximumConcurrency: ScalingConfig?.MaximumConcurrency,
    lastModifiedAtMs: LastModified?.getTime() ?? 0,
  };
}

function relayOf(
  reported: FunctionConfiguration,
  mappings: MaybeKnown<readonly RelayMapping[]>,
  breakerLogGroupName: string | undefined,
): Relay {
  const { FunctionName: name = '' } = reported;
  const written = variableOf(reported, RELAY_SETTINGS_VARIABLE);
  const reading = readRelaySettings(written);
  const settings = reading.kind === 'settings' ? reading.settings : undefined;
  const queueName = settings && queueNameOf(settings.queueUrl);
  return {
    name,
    logGroupName: logGroupNameOf(reported),
    settings,
    problems: reading.kind === 'problems' ? reading.problems.map(formatProblem) : [],
    isMappingUnknown: !isKnown(mappings),
    mapping: knownValue(mappings)?.find(
      ({ queueArn }) => queueName === undefined || queueNameOf(queueArn) === queueName,
    ),
    breaker: relayBreaker(written, breakerLogGroupName),
  };
}

/** The concurrency of its mapping at full speed. Undefined when unknown. The setting of the breaker takes precedence. */
export function configuredConcurrency({ breaker, settings, mapping }: Relay): number | undefined {
  return breaker?.configuredConcurrency ?? settings?.maximumConcurrency ?? mapping?.maximumConcurrency;
}

export function relayState({ mapping, breaker, isMappingUnknown }: Relay): RelayState {
  if (!mapping) return isMappingUnknown ? 'unknown' : 'no-mapping';
  if (breaker) return breakerState(mapping, breaker.configuredConcurrency);
  // Without a breaker, only an operator disables the mapping, whatever its concurrency is.
  const state = breakerState(mapping, 0);
  return state === 'stopped-by-hand' ? state : 'running';
}

/** The destination as log records show it, without credentials. For a secret, its name but never its value. */
export function destinationOf(endpoint: RelayEndpoint): string {
  if ('url' in endpoint) return readDestination('endpoint', endpoint.url, addressGuards([]), false).shown;
  const name = queueNameOf(endpoint.secretArn).replace(/-\w{6}$/, '');
  return endpoint.field === undefined ? `secret ${name}` : `${endpoint.field} of secret ${name}`;
}

export interface RelayBreaker {
  /** The concurrency of the mapping while the breaker is closed. */
  readonly configuredConcurrency: number;
  /** The pause before the first probe, and between probes. Undefined when its version does not store it. */
  readonly probeIntervalMs: number | undefined;
  /** The log of its function. Undefined when no function names the relay, which is then not checked. */
  readonly logGroupName: string | undefined;
}

/**
 * Reads from the settings of a relay, which may be of another version, what they say about its breaker. Only the relay's
 * own function needs all of them.
 *
 * @returns undefined when the relay has no breaker, or when its concurrency while closed is unknown
 */
export function relayBreaker(written: string | undefined, logGroupName: string | undefined): RelayBreaker | undefined {
  const { hasBreaker, maximumConcurrency, probeIntervalMs } = parseObject(written) ?? {};
  if (hasBreaker !== true || typeof maximumConcurrency !== 'number') return undefined;
  return {
    configuredConcurrency: maximumConcurrency,
    probeIntervalMs: typeof probeIntervalMs === 'number' ? probeIntervalMs : undefined,
    logGroupName,
  };
}
