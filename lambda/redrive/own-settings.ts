import { formatProblem } from '../../policy/problem';
import { readRedriveSettings } from '../../policy/redrive/read-redrive-settings';
import { REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from '../../policy/redrive/redrive-settings';

/**
 * Reads what the function was given.
 * @throws Error with all that is wrong with it
 */
export function ownSettings(text: string | undefined): RedriveSettings {
  const reading = readRedriveSettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${REDRIVE_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
