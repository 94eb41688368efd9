import {
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { addressGuards } from '../../policy/address-guard';
import { formatProblem } from '../../policy/problem';
import {
  BREAKER_SETTINGS_VARIABLE,
  type BreakerSettings,
  type BreakerState,
  breakerState,
  type MappingFacts,
} from '../../policy/relay/breaker';
import { readDestination } from '../../policy/relay/destination';
import {
  RELAY_SETTINGS_VARIABLE,
  type RelayEndpoint,
  type RelaySettings,
  readRelaySettings,
} from '../../policy/relay/relay-settings';
import type { Connection } from '../connection/connection';
import { allFunctions, logGroupNameOf, unreadableWarnings, variableOf } from '../inventory/functions';
import { queueNameOf } from '../names';

/** The relays of a Region, and what kept some from being told of in full. */
export interface FoundRelays {
  /** By name. */
  readonly relays: readonly Relay[];
  readonly warnings: readonly string[];
}

/** Every mapping, under the ARN of its function, whatever version or alias of it is meant. */
async function mappingsOf(lambda: LambdaClient): Promise<Map<string, RelayMapping[]>> {
  const found = new Map<string, RelayMapping[]>();
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {})) {
    for (const reported of EventSourceMappings) {
      const functionArn = (reported.FunctionArn ?? '').split(':').slice(0, 7).join(':');
      found.set(functionArn, [...(found.get(functionArn) ?? []), mappingOf(reported)]);
    }
  }
  return found;
}

/** Every breaker, under the name of its relay. */
function breakersOf(functions: readonly FunctionConfiguration[], warnings: string[]): Map<string, RelayBreaker> {
  const found = new Map<string, RelayBreaker>();
  for (const reported of functions) {
    const written = variableOf(reported, BREAKER_SETTINGS_VARIABLE);
    if (written === undefined) continue;
    const breaker = relayBreaker(written);
    if (breaker) found.set(breaker.functionName, breaker);
    else warnings.push(unreadableBreaker(reported.FunctionName ?? ''));
  }
  return found;
}

/**
 * All relays of the Region, found by how their functions are configured, not by tags or names. It takes the permissions
 * `lambda:ListFunctions` and `lambda:ListEventSourceMappings`.
 */
export async function findRelays(aws: Connection): Promise<FoundRelays> {
  const [functions, mappings] = await Promise.all([allFunctions(aws), mappingsOf(aws.client(LambdaClient))]);
  const warnings = unreadableWarnings(functions, 'relay');
  const breakers = breakersOf(functions, warnings);
  const relays = functions
    .filter(reported => variableOf(reported, RELAY_SETTINGS_VARIABLE) !== undefined)
    .map(reported =>
      relayOf(reported, mappings.get(reported.FunctionArn ?? '') ?? [], breakers.get(reported.FunctionName ?? '')),
    );
  for (const { name, problems } of relays) {
    warnings.push(...problems.map(problem => `${name}: ${RELAY_SETTINGS_VARIABLE}: ${problem}`));
  }
  return { relays: relays.sort((a, b) => (a.name < b.name ? -1 : 1)), warnings };
}

/** What lets a relay's function have the messages of its queue. */
export interface RelayMapping extends MappingFacts {
  readonly id: string;
  readonly queueArn: string;
}

/** A relay as its function, its mapping and its breaker's function are configured. */
export interface Relay {
  /** Its function's. */
  readonly name: string;
  readonly logGroupName: string;
  /** Undefined where this version cannot read what another one wrote. */
  readonly settings: RelaySettings | undefined;
  /** What is wrong with its settings. */
  readonly problems: readonly string[];
  /** Undefined where somebody has deleted it. */
  readonly mapping: RelayMapping | undefined;
  /** Undefined where it has none. */
  readonly breaker: RelayBreaker | undefined;
}

/** How a relay stands: the state of its breaker; of one without, whether it runs. */
export type RelayState = BreakerState | 'running' | 'no-mapping';

/** A mapping of a queue, as Lambda tells of it. */
export function mappingOf(reported: EventSourceMappingConfiguration): RelayMapping {
  const { UUID = '', EventSourceArn = '', State = '', ScalingConfig, LastModified } = reported;
  return {
    id: UUID,
    queueArn: EventSourceArn,
    state: State,
    maximumConcurrency: ScalingConfig?.MaximumConcurrency,
    lastModifiedAtMs: LastModified?.getTime() ?? 0,
  };
}

/** A relay, of its function and what was found beside it. */
export function relayOf(
  reported: FunctionConfiguration,
  mappings: readonly RelayMapping[],
  breaker: RelayBreaker | undefined,
): Relay {
  const { FunctionName: name = '' } = reported;
  const reading = readRelaySettings(variableOf(reported, RELAY_SETTINGS_VARIABLE));
  const settings = reading.kind === 'settings' ? reading.settings : undefined;
  const queueName = settings && queueNameOf(settings.queueUrl);
  return {
    name,
    logGroupName: logGroupNameOf(reported),
    settings,
    problems: reading.kind === 'problems' ? reading.problems.map(formatProblem) : [],
    mapping: mappings.find(({ queueArn }) => queueName === undefined || queueNameOf(queueArn) === queueName),
    breaker,
  };
}

/** What its mapping has while it runs at full speed; undefined where nobody knows. The breaker's word counts first. */
export function configuredConcurrency({ breaker, settings, mapping }: Relay): number | undefined {
  return breaker?.configuredConcurrency ?? settings?.maximumConcurrency ?? mapping?.maximumConcurrency;
}

/** How a relay stands, as its mapping says. */
export function relayState({ mapping, breaker }: Relay): RelayState {
  if (!mapping) return 'no-mapping';
  if (breaker) return breakerState(mapping, breaker.configuredConcurrency);
  // Nobody but a person disables the mapping of a relay without a breaker, whatever concurrency it has.
  const state = breakerState(mapping, 0);
  return state === 'stopped-by-hand' ? state : 'running';
}

/** Where a relay delivers to, as its records name it; of a secret, which one: never what is in it. */
export function destinationOf(endpoint: RelayEndpoint): string {
  if ('url' in endpoint) return readDestination('endpoint', endpoint.url, addressGuards([]), false).shown;
  const name = queueNameOf(endpoint.secretArn).replace(/-\w{6}$/, '');
  return endpoint.field === undefined ? `secret ${name}` : `${endpoint.field} of secret ${name}`;
}

/** What is known of a relay's breaker. */
export interface RelayBreaker extends Pick<BreakerSettings, 'functionName' | 'configuredConcurrency' | 'alarmName'> {
  /** How long it rests before it probes, and between probes; undefined where it is of a version that does not say. */
  readonly probeIntervalMs: number | undefined;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * What an operator needs of the settings of a breaker, which may be of another version than this command: its function
 * alone insists on all of them.
 *
 * @returns undefined where they do not say of which relay it is the breaker, and when that is closed
 */
export function relayBreaker(written: string): RelayBreaker | undefined {
  const { functionName, configuredConcurrency, alarmName, probeIntervalMs } = membersOf(written);
  if (typeof functionName !== 'string' || typeof configuredConcurrency !== 'number') return undefined;
  return {
    functionName,
    configuredConcurrency,
    alarmName: typeof alarmName === 'string' ? alarmName : '',
    probeIntervalMs: typeof probeIntervalMs === 'number' ? probeIntervalMs : undefined,
  };
}

/** What is said of a breaker that cannot be told whose it is. */
export function unreadableBreaker(functionName: string): string {
  return `${functionName}: ${BREAKER_SETTINGS_VARIABLE} cannot be read, and so its relay is shown as one without a breaker`;
}
