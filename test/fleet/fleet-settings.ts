import { DEFAULT_HEALTH_SETTINGS } from '../../policy/fleet/endpoint-health';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';

/** Six retries within minutes, so that a simulation comes to their end. */
export const SETTINGS: FleetSettings = {
  fleetName: 'webhooks',
  tableName: 'fleet',
  keyArn: 'a key',
  eventsQueueUrl: 'https://sqs.example/events',
  deliveriesQueueUrl: 'https://sqs.example/deliveries',
  deadLetterQueueUrl: 'https://sqs.example/dead',
  noticesTopicArn: 'a topic',
  retryPolicy: {
    minDelayTarget: 10,
    maxDelayTarget: 120,
    numRetries: 6,
    numNoDelayRetries: 0,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  jitterPercent: 0,
  retryAfterCapSeconds: 3_600,
  maxAgeSeconds: 4 * 86_400,
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  deadStatuses: DEFAULT_DEAD_STATUSES,
  allowedPrivateRanges: [],
  health: DEFAULT_HEALTH_SETTINGS,
  attemptsAtATime: 25,
};
