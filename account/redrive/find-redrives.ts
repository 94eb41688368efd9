import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { formatProblem } from '../../policy/problem';
import {
  REDRIVE_SETTINGS_VARIABLE,
  type RedriveSettings,
  readRedriveSettings,
} from '../../policy/redrive/redrive-settings';
import type { Connection } from '../connection/connection';
import { allFunctions, logGroupNameOf, unreadableWarnings, variableOf } from '../inventory/functions';
import type { Named } from '../names';

/** A deployed `Redrive`, as its function is configured. */
export interface FoundRedrive extends Named {
  readonly logGroupName: string;
  /** Undefined when another version wrote settings that this version cannot read. */
  readonly settings: RedriveSettings | undefined;
  readonly problems: readonly string[];
}

/** A redrive whose settings can be read. Only such a redrive can be shown and switched. */
export interface KnownRedrive extends FoundRedrive {
  readonly settings: RedriveSettings;
}

export function hasSettings(redrive: FoundRedrive): redrive is KnownRedrive {
  return redrive.settings !== undefined;
}

export function redriveOf(reported: FunctionConfiguration): FoundRedrive {
  const reading = readRedriveSettings(variableOf(reported, REDRIVE_SETTINGS_VARIABLE));
  const settings = reading.kind === 'settings' ? reading.settings : undefined;
  return {
    name: reported.FunctionName ?? '',
    ...(settings && { path: settings.name }),
    logGroupName: logGroupNameOf(reported),
    settings,
    problems: reading.kind === 'problems' ? reading.problems.map(formatProblem) : [],
  };
}

/** The redrives of a Region, and what could not be read of them. */
export interface FoundRedrives {
  /** Sorted by name. */
  readonly redrives: readonly FoundRedrive[];
  readonly warnings: readonly string[];
}

/**
 * Finds all redrives of the Region by the configuration of their functions, not by tags or names. It needs the permission
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
