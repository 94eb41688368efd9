import type { Connection } from '../../account/connection/connection';
import { allFunctions, unreadableWarnings, variableOf } from '../../account/connection/functions';
import { REDRIVE_SETTINGS_VARIABLE } from '../../policy/redrive/redrive-settings';
import { type Redrive, redriveOf } from './redrive';

/** The redrives of a Region, and what kept some from being told of in full. */
export interface FoundRedrives {
  /** By name. */
  readonly redrives: readonly Redrive[];
  readonly warnings: readonly string[];
}

/**
 * All redrives of the Region, found by how their functions are configured, not by tags or names. It takes the permission
 * `lambda:ListFunctions`.
 */
export async function findRedrives(aws: Connection): Promise<FoundRedrives> {
  const functions = await allFunctions(aws);
  const redrives = functions
    .filter(reported => variableOf(reported, REDRIVE_SETTINGS_VARIABLE) !== undefined)
    .map(redriveOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const unread = redrives.flatMap(({ name, problems }) =>
    problems.map(problem => `${name}: ${REDRIVE_SETTINGS_VARIABLE}: ${problem}`),
  );
  return { redrives, warnings: [...unreadableWarnings(functions, 'redrive'), ...unread] };
}
