import { formatProblem } from '../../policy/problem';
import { readRelaySettings } from '../../policy/relay/read-relay-settings';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings } from '../../policy/relay/relay-settings';

/**
 * Reads what the function was given.
 * @throws Error with all that is wrong with it
 */
export function ownSettings(text: string | undefined): RelaySettings {
  const reading = readRelaySettings(text);
  if (reading.kind === 'settings') return reading.settings;
  throw new Error(`${RELAY_SETTINGS_VARIABLE}: ${reading.problems.map(formatProblem).join('; ')}`);
}
