import {
  type FunctionConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import { BREAKER_SETTINGS_VARIABLE } from '../../lib/policy/relay/breaker-settings';
import { RELAY_SETTINGS_VARIABLE } from '../../lib/policy/relay/relay-settings';
import type { Connection } from '../aws/connection';
import { BadInput } from '../errors';
import { mappingOf, type Relay, type RelayMapping, relayOf } from './relay';
import { type RelayBreaker, relayBreaker, unreadableBreaker } from './relay-breaker';

/** The relays of a Region, and what kept some from being told of in full. */
export interface FoundRelays {
  /** By name. */
  readonly relays: readonly Relay[];
  readonly warnings: readonly string[];
}

async function functionsOf(lambda: LambdaClient): Promise<FunctionConfiguration[]> {
  const found: FunctionConfiguration[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) found.push(...Functions);
  return found;
}

/** Every mapping, under the ARN of its function, whatever version or alias of it is meant. */
async function mappingsOf(lambda: LambdaClient): Promise<Map<string, RelayMapping[]>> {
  const found = new Map<string, RelayMapping[]>();
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {})) {
    for (const told of EventSourceMappings) {
      const functionArn = (told.FunctionArn ?? '').split(':').slice(0, 7).join(':');
      found.set(functionArn, [...(found.get(functionArn) ?? []), mappingOf(told)]);
    }
  }
  return found;
}

const variable = ({ Environment }: FunctionConfiguration, name: string) => Environment?.Variables?.[name];

/** Every breaker, under the name of its relay. */
function breakersOf(functions: readonly FunctionConfiguration[], warnings: string[]): Map<string, RelayBreaker> {
  const found = new Map<string, RelayBreaker>();
  for (const told of functions) {
    const written = variable(told, BREAKER_SETTINGS_VARIABLE);
    if (written === undefined) continue;
    const breaker = relayBreaker(written);
    if (breaker) found.set(breaker.functionName, breaker);
    else warnings.push(unreadableBreaker(told.FunctionName ?? ''));
  }
  return found;
}

/** Lambda tells nothing of an environment whose key the caller may not use. */
function unreadable(functions: readonly FunctionConfiguration[]): string[] {
  const names = functions.filter(({ Environment }) => Environment?.Error).map(({ FunctionName }) => FunctionName);
  if (names.length === 0) return [];
  return [
    `a relay among these would not be seen, for their environment variables are encrypted with a key that you may not use ` +
      `(kms:Decrypt): ${names.join(', ')}`,
  ];
}

/**
 * All relays of the Region, found by how their functions are configured, not by tags or names. It takes the permissions
 * `lambda:ListFunctions` and `lambda:ListEventSourceMappings`.
 */
export async function findRelays(aws: Connection): Promise<FoundRelays> {
  const lambda = aws.client(LambdaClient);
  const [functions, mappings] = await Promise.all([functionsOf(lambda), mappingsOf(lambda)]);
  const warnings = unreadable(functions);
  const breakers = breakersOf(functions, warnings);
  const relays = functions
    .filter(told => variable(told, RELAY_SETTINGS_VARIABLE) !== undefined)
    .map(told => relayOf(told, mappings.get(told.FunctionArn ?? '') ?? [], breakers.get(told.FunctionName ?? '')));
  for (const { name, problems } of relays) {
    warnings.push(...problems.map(problem => `${name}: ${RELAY_SETTINGS_VARIABLE}: ${problem}`));
  }
  return { relays: relays.sort((a, b) => (a.name < b.name ? -1 : 1)), warnings };
}

/**
 * The one relay with this name, or with this part of a name that no other has.
 * @throws BadInput when there is none, or more than one
 */
export function relayNamed(name: string, relays: readonly Relay[], region: string): Relay {
  const exact = relays.find(relay => relay.name === name);
  if (exact) return exact;
  const matching = relays.filter(relay => relay.name.toLowerCase().includes(name.toLowerCase()));
  const [first] = matching;
  if (first && matching.length === 1) return first;
  const names = (some: readonly Relay[]) => some.map(relay => relay.name).join(', ');
  if (first) throw new BadInput([`${name} is a part of several names; say which: ${names(matching)}`]);
  const there = relays.length === 0 ? 'there is none' : `there are ${names(relays)}`;
  throw new BadInput([`no relay in ${region} is named ${name}: ${there}`]);
}
