export { type Delivery, deliver, deliverNow, type FailedAttempt, type GivenUp } from './delivery';
export type { EventBuses, Functions, Queues, Topics } from './ports';
export {
  constrainRetryPolicy,
  DEAD_LETTER_RETRIES,
  type ExhaustedRetryCondition,
  type RetryPolicy,
  type RetryPolicyInput,
  retryDelaySeconds,
  retryPolicyOf,
} from './retry-policy';
export { ROLE_NOT_ASSUMED, type TargetErrorCode, targetErrorOf } from './target-error';
export { assumeRole, putOneEvent, queueUrl, sendToQueue } from './targets';
