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

/** A redrive as its function is configured. */
export interface Redrive extends Named {
  readonly logGroupName: string;
  /** Undefined where this version cannot read what another one wrote. */
  readonly settings: RedriveSettings | undefined;
  /** What is wrong with its settings. */
  readonly problems: readonly string[];
}

/** One whose settings can be read: what can be looked at and switched. */
export interface KnownRedrive extends Redrive {
  readonly settings: RedriveSettings;
}

export function hasSettings(redrive: Redrive): redrive is KnownRedrive {
  return redrive.settings !== undefined;
}

/** A redrive, of its function. */
export function redriveOf(reported: FunctionConfiguration): Redrive {
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
