export {
  constrainRetryPolicy,
  DEAD_LETTER_RETRIES,
  deliver,
  deliverNow,
  type ExhaustedRetryCondition,
  type GivenUp,
  type RetryPolicy,
  retryDelaySeconds,
  retryPolicyOf,
} from './delivery';
export {
  assumeRole,
  type EventBuses,
  type Functions,
  putOneEvent,
  type Queues,
  queueUrl,
  readTargetSettings,
  sendToQueue,
  type TargetErrorCode,
  type Topics,
  targetErrorOf,
} from './targets';
