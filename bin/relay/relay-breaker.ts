import { BREAKER_SETTINGS_VARIABLE, type BreakerSettings } from '../../policy/relay/breaker-settings';

/** What is known of a relay's breaker. */
export interface RelayBreaker extends Pick<BreakerSettings, 'functionName' | 'configuredConcurrency' | 'alarmName'> {
  /** How long it rests before it probes, and between probes; undefined where it is of a version that does not say. */
  readonly probeIntervalMs: number | undefined;
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * What an operator needs of the settings of a breaker, which may be of another version than this command: its function
 * alone insists on all of them.
 *
 * @returns undefined where they do not say of which relay it is the breaker, and when that is closed
 */
export function relayBreaker(written: string): RelayBreaker | undefined {
  const { functionName, configuredConcurrency, alarmName, probeIntervalMs } = membersOf(written);
  if (typeof functionName !== 'string' || typeof configuredConcurrency !== 'number') return undefined;
  return {
    functionName,
    configuredConcurrency,
    alarmName: typeof alarmName === 'string' ? alarmName : '',
    probeIntervalMs: typeof probeIntervalMs === 'number' ? probeIntervalMs : undefined,
  };
}

/** What is said of a breaker that cannot be told whose it is. */
export function unreadableBreaker(functionName: string): string {
  return `${functionName}: ${BREAKER_SETTINGS_VARIABLE} cannot be read, and so its relay is shown as one without a breaker`;
}
