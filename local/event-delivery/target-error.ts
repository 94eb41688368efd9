import type { AwsError } from '../kernel/aws-error';
import { isThrottling, isTransient } from '../kernel/service-call';

/**
 * What went wrong, as EventBridge names it to a dead-letter queue.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 */
export type TargetErrorCode =
  | 'ERROR_FROM_TARGET'
  | 'FAILED_TO_ASSUME_ROLE'
  | 'INVALID_JSON'
  | 'INVALID_PARAMETER'
  | 'NO_PERMISSIONS'
  | 'NO_RESOURCE'
  | 'SDK_CLIENT_ERROR'
  | 'THROTTLING';

export interface TargetError {
  readonly code: TargetErrorCode;
  /** Whether trying again may help. */
  readonly isRetried: boolean;
}

/** The code of an error that means that a role cannot be assumed; it is nobody's but ours. */
export const ROLE_NOT_ASSUMED = 'AccessDeniedForRole';

const RULES: readonly {
  readonly code: TargetErrorCode;
  readonly codes: RegExp;
  readonly statuses?: readonly number[];
}[] = [
  { code: 'FAILED_TO_ASSUME_ROLE', codes: new RegExp(`^${ROLE_NOT_ASSUMED}$`) },
  { code: 'INVALID_JSON', codes: /InvalidRequestContent/ },
  { code: 'NO_RESOURCE', codes: /NonExistent|NotFound|DoesNotExist/, statuses: [404] },
  { code: 'NO_PERMISSIONS', codes: /AccessDenied|Authorization|^KMS\./, statuses: [403] },
  { code: 'INVALID_PARAMETER', codes: /Invalid|Validation|MissingParameter/ },
];

/**
 * Whether an error is tried again: "missing permissions to a target", or "a target resource that no longer exists", are not;
 * throttling and failures of the target's are. Our choice: other client errors are not either, for they would come again.
 */
export function targetErrorOf(error: AwsError): TargetError {
  if (isThrottling(error)) return { code: 'THROTTLING', isRetried: true };
  if (isTransient(error)) return { code: 'ERROR_FROM_TARGET', isRetried: true };
  const { code, httpStatus, fault } = error;
  const rule = RULES.find(({ codes, statuses }) => codes.test(code) || statuses?.includes(httpStatus));
  return { code: fault === 'client' && rule ? rule.code : 'SDK_CLIENT_ERROR', isRetried: false };
}
