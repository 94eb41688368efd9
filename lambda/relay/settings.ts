import { RELAY_SETTINGS_VARIABLE, type RelaySettings } from '../../lib/policy/relay/relay-settings';

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads what the construct wrote, which has judged it.
 * @throws Error where nothing was written that could be settings; it does not show what was
 */
export function readSettings(text: string | undefined): RelaySettings {
  const settings = text === undefined ? undefined : objectIn(text);
  if (settings && 'queueUrl' in settings && 'retryPolicy' in settings) return settings as RelaySettings;
  const got = text === undefined ? 'nothing' : `${text.length} characters that are none`;
  throw new Error(`${RELAY_SETTINGS_VARIABLE} must be the settings of a relay as JSON, got ${got}`);
}
