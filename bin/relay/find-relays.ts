import { type FunctionConfiguration, LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import type { Connection } from '../../account/connection/connection';
import { allFunctions, unreadableWarnings, variableOf } from '../../account/connection/functions';
import { BREAKER_SETTINGS_VARIABLE } from '../../policy/relay/breaker-settings';
import { RELAY_SETTINGS_VARIABLE } from '../../policy/relay/relay-settings';
import { mappingOf, type Relay, type RelayMapping, relayOf } from './relay';
import { type RelayBreaker, relayBreaker, unreadableBreaker } from './relay-breaker';

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
