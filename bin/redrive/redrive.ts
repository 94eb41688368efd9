import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { logGroupNameOf, variableOf } from '../../account/connection/functions';
import { formatProblem } from '../../policy/problem';
import { readRedriveSettings } from '../../policy/redrive/read-redrive-settings';
import { REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from '../../policy/redrive/redrive-settings';
import type { Named } from '../one-named';

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
