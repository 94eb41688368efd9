import { FLEET_SETTINGS_VARIABLE, type FleetSettings, readFleetSettings } from '../../policy/fleet/fleet-settings';
import type { Connection } from '../connection/connection';
import { BadInput, messageOf } from '../errors';
import { allFunctions, unreadableWarnings, variableOf } from '../inventory/functions';
import { oneNamed } from '../names';

/** A deployed fleet, as its functions are configured. */
export interface Fleet {
  readonly name: string;
  readonly settings: FleetSettings;
}

/** The fleets of a Region, sorted by name, and what could not be read of them. */
export interface FoundFleets {
  readonly fleets: readonly Fleet[];
  readonly warnings: readonly string[];
}

/**
 * Finds all fleets of the Region by the environment of their functions, not by tags or names. All functions of a fleet, and programs that
 * use its client, have the same settings. It needs the permission `lambda:ListFunctions`.
 */
export async function findFleets(aws: Connection): Promise<FoundFleets> {
  const functions = await allFunctions(aws);
  const warnings = unreadableWarnings(functions, 'fleet');
  const found = new Map<string, Fleet>();
  for (const reported of functions) {
    const written = variableOf(reported, FLEET_SETTINGS_VARIABLE);
    if (written === undefined) continue;
    try {
      const settings = readFleetSettings(written);
      found.set(settings.tableName, { name: settings.fleetName, settings });
    } catch (error) {
      warnings.push(`${reported.FunctionName}: ${messageOf(error)}`);
    }
  }
  const fleets = [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { fleets, warnings };
}

/**
 * Finds the fleet with a name, or the only one.
 * @throws BadInput when there is none, or when there are several and none is named
 */
export function oneFleet(name: string | undefined, fleets: readonly Fleet[], region: string): Fleet {
  if (name !== undefined) return oneNamed(name, fleets, 'fleet', region);
  const [first, second] = fleets;
  if (!first) throw new BadInput([`no fleet is in ${region}: is it another Region or account?`]);
  if (second) throw new BadInput([`several fleets are in ${region}: name one of ${namesOf(fleets)} with --fleet`]);
  return first;
}

/** The option that names a fleet in a printed command, where there are several. */
export function fleetWords({ name }: Fleet, fleets: readonly Fleet[]): readonly string[] {
  return fleets.length > 1 ? ['--fleet', name] : [];
}

const namesOf = (fleets: readonly Fleet[]) => fleets.map(({ name }) => name).join(', ');
