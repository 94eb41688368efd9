import type { RetryPolicy } from '../delivery-policy/delivery-policy';
import {
  atLeast,
  booleanValue,
  isObject,
  listOf,
  type MemberRule,
  memberProblems,
  moreThan,
  must,
  nonEmptyText,
  parseObject,
  wholeNumber,
} from '../json-members';
import { formatProblem } from '../problem';
import { DEAD_STATUSES, retryPolicy } from '../relay/relay-settings';
import type { HealthSettings } from './endpoint-health';

/** The environment variable that holds the settings of a fleet's functions. */
export const FLEET_SETTINGS_VARIABLE = 'FLEET_SETTINGS';

/** The settings of a fleet. The construct writes them; its functions and its client read them. */
export interface FleetSettings {
  /** The name of the fleet, which is part of the encryption context and of delivery ids. */
  readonly fleetName: string;
  readonly tableName: string;
  /** The key that encrypts the data keys. */
  readonly keyArn: string;
  readonly eventsQueueUrl: string;
  readonly deliveriesQueueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** Gets an event before an endpoint is disabled, and when it is. */
  readonly noticesTopicArn: string;
  /** The retry policy of endpoints without one of their own. */
  readonly retryPolicy: RetryPolicy;
  /** How much shorter or longer than scheduled a delay may be: 0 to 100. */
  readonly jitterPercent: number;
  readonly retryAfterCapSeconds: number;
  /** How long after the event a message is given up at the latest. */
  readonly maxAgeSeconds: number;
  readonly connectTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly deadStatuses: readonly number[];
  /** CIDRs of private addresses that endpoints may have. */
  readonly allowedPrivateRanges: readonly string[];
  readonly health: HealthSettings;
  /** How many attempts one invocation of the deliverer makes at a time. */
  readonly attemptsAtATime: number;
  /** How long attempts are logged. @default - they are not */
  readonly attemptRetentionSeconds?: number;
  /** Whether the log has the body of each message. @default false */
  readonly logsBodies?: boolean;
}

/** The members that say which queues are a fleet's. */
type FleetQueues = Pick<FleetSettings, 'fleetName' | 'eventsQueueUrl' | 'deliveriesQueueUrl' | 'deadLetterQueueUrl'>;

const QUEUES = ['fleetName', 'eventsQueueUrl', 'deliveriesQueueUrl', 'deadLetterQueueUrl'] as const;

/** Reads which queues are a fleet's, also if its other settings are those of another version. Undefined if it says none. */
export function fleetQueuesIn(text: string | undefined): FleetQueues | undefined {
  const value = parseObject(text);
  const isFleet = value && QUEUES.every(name => nonEmptyText(value[name], name).length === 0);
  return isFleet ? (value as unknown as FleetQueues) : undefined;
}

const HEALTH: Readonly<Record<keyof HealthSettings, MemberRule>> = {
  suspectAfter: { check: atLeast(1) },
  openAfter: { check: atLeast(1) },
  openAfterMs: { check: atLeast(0) },
  slots: { check: atLeast(1) },
  firstProbeMs: { check: moreThan(0) },
  longestProbeMs: { check: moreThan(0) },
  disableAfterMs: { check: moreThan(0), isOptional: true },
};

const health: MemberRule['check'] = (value, property) =>
  isObject(value)
    ? memberProblems(HEALTH, value, `${property}.`)
    : must('must be an object', () => false)(value, property);

const MEMBERS: Readonly<Record<keyof FleetSettings, MemberRule>> = {
  fleetName: { check: nonEmptyText },
  tableName: { check: nonEmptyText },
  keyArn: { check: nonEmptyText },
  eventsQueueUrl: { check: nonEmptyText },
  deliveriesQueueUrl: { check: nonEmptyText },
  deadLetterQueueUrl: { check: nonEmptyText },
  noticesTopicArn: { check: nonEmptyText },
  retryPolicy: { check: retryPolicy },
  jitterPercent: { check: wholeNumber(0, 100) },
  retryAfterCapSeconds: { check: atLeast(0) },
  maxAgeSeconds: { check: moreThan(0) },
  connectTimeoutMs: { check: atLeast(1) },
  totalTimeoutMs: { check: atLeast(1) },
  deadStatuses: { check: listOf(wholeNumber(DEAD_STATUSES.min, DEAD_STATUSES.max)) },
  allowedPrivateRanges: { check: listOf(nonEmptyText) },
  health: { check: health },
  attemptsAtATime: { check: atLeast(1) },
  attemptRetentionSeconds: { check: moreThan(0), isOptional: true },
  logsBodies: { check: booleanValue, isOptional: true },
};

/**
 * Reads the settings that the construct wrote into `FLEET_SETTINGS`.
 * @throws Error with everything that is wrong with them
 */
export function readFleetSettings(text: string | undefined): FleetSettings {
  const value = parseObject(text);
  if (!value) throw new Error(`${FLEET_SETTINGS_VARIABLE} must be a JSON object, got ${text?.length ?? 0} characters`);
  const problems = memberProblems(MEMBERS, value, '');
  if (problems.length > 0) throw new Error(`${FLEET_SETTINGS_VARIABLE}: ${problems.map(formatProblem).join('; ')}`);
  return value as unknown as FleetSettings;
}
