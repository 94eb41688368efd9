import type { EventSourceMappingConfiguration, FunctionConfiguration } from '@aws-sdk/client-lambda';
import { logGroupNameOf, variableOf } from '../../account/connection/functions';
import { queueNameOf } from '../../account/connection/queue-name';
import { readDestination } from '../../lambda/relay/destination';
import { addressGuards } from '../../policy/limits/address-guard';
import { formatProblem } from '../../policy/problem';
import { type BreakerState, breakerState, type MappingFacts } from '../../policy/relay/breaker';
import { readRelaySettings } from '../../policy/relay/read-relay-settings';
import { RELAY_SETTINGS_VARIABLE, type RelayEndpoint, type RelaySettings } from '../../policy/relay/relay-settings';
import type { RelayBreaker } from './relay-breaker';

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
