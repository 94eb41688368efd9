/** The environment variable in which the construct hands the breaker's function its settings. */
export const BREAKER_SETTINGS_VARIABLE = 'RELAY_BREAKER_SETTINGS';

/** Everything the function of a relay's breaker knows of itself, as its construct writes it. */
export interface BreakerSettings {
  /** Of the event source mapping from the relay's queue to its function. */
  readonly mappingId: string;
  /** What that mapping has while the breaker is closed. */
  readonly configuredConcurrency: number;
  /** Of the alarm on failed attempts. */
  readonly alarmName: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Of the relay's function, which a probe invokes. */
  readonly functionName: string;
  /** How long an open breaker rests before it probes: see `BreakerFacts.settleMs`. */
  readonly settleMs: number;
  /** How long the relay's function may run. */
  readonly functionTimeoutMs: number;
}

const TEXTS = ['mappingId', 'alarmName', 'queueUrl', 'queueArn', 'functionName'] as const;
const NUMBERS = ['configuredConcurrency', 'settleMs', 'functionTimeoutMs'] as const;

/**
 * Reads the settings the construct wrote.
 * @throws Error that names each member that is missing, or of another type
 */
export function readBreakerSettings(text: string): BreakerSettings {
  const members = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const wrong = [
    ...TEXTS.filter(name => typeof members[name] !== 'string').map(name => `${name} must be a text`),
    ...NUMBERS.filter(name => typeof members[name] !== 'number').map(name => `${name} must be a number`),
  ];
  if (wrong.length > 0) throw new Error(`${BREAKER_SETTINGS_VARIABLE}: ${wrong.join('; ')}`);
  return members as unknown as BreakerSettings;
}
