import { parseObject } from '../members';

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
  /** How long a change of the mapping takes to show in the alarm. */
  readonly settleMs: number;
  /** How long an open breaker rests before it probes, and between probes. */
  readonly probeIntervalMs: number;
  /** How often its function runs, whatever happens. */
  readonly tickMs: number;
  /** How long the relay's function may run. */
  readonly functionTimeoutMs: number;
  /** How long the relay's queue keeps a message. */
  readonly retentionMs: number;
}

const TEXTS = ['mappingId', 'alarmName', 'queueUrl', 'queueArn', 'functionName'] as const;
const NUMBERS = [
  'configuredConcurrency',
  'settleMs',
  'probeIntervalMs',
  'tickMs',
  'functionTimeoutMs',
  'retentionMs',
] as const;

/**
 * Reads the settings the construct wrote.
 * @throws Error that names each member that is missing, or makes no sense
 */
export function readBreakerSettings(text: string | undefined): BreakerSettings {
  const members = parseObject(text);
  if (!members) throw new Error(`${BREAKER_SETTINGS_VARIABLE} must be a JSON object`);
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const isPositive = (value: unknown) => Number.isFinite(value) && Number(value) > 0;
  const wrong = [
    ...TEXTS.filter(name => !isText(members[name])).map(name => `${name} must be a text that is not empty`),
    ...NUMBERS.filter(name => !isPositive(members[name])).map(name => `${name} must be a number of more than 0`),
  ];
  if (wrong.length > 0) throw new Error(`${BREAKER_SETTINGS_VARIABLE}: ${wrong.join('; ')}`);
  return members as unknown as BreakerSettings;
}
