import type { PutEventsRequest, PutEventsRequestEntry, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { PublishInput } from '@aws-sdk/client-sns';
import type { MessageAttributeValue, SendMessageRequest } from '@aws-sdk/client-sqs';
import type { PropertyReader } from '../cloudformation/property-reader';
import type { RoleTrust } from '../kernel/access';
import { AccessRefused, AwsError } from '../kernel/aws-error';
import { type Caller, roleCaller } from '../kernel/caller';
import { type EventInvocation, isThrottling, isTransient } from '../kernel/service-call';

/** The parts of a message to a queue besides its body. */
interface MessageExtras {
  readonly messageGroupId?: string | undefined;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function queueUrl(queues: Pick<Queues, 'queueByArn'>, queueArn: string): string {
  const queue = queues.queueByArn(queueArn);
  if (queue) return queue.url;
  throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
}

export function putOneEvent(buses: EventBuses, caller: Caller, entry: PutEventsRequestEntry): void {
  const { Entries: [result] = [] } = buses.call('PutEvents', caller, { Entries: [entry] });
  if (result?.ErrorCode) throw new AwsError(result.ErrorCode, result.ErrorMessage ?? result.ErrorCode);
}

/**
 * Sends to the queue with an ARN.
 * @throws AwsError the error of SQS
 */
export function sendToQueue(
  queues: Queues,
  caller: Caller,
  queueArn: string,
  body: string,
  { messageGroupId, attributes = {} }: MessageExtras = {},
): void {
  const QueueUrl = queueUrl(queues, queueArn);
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, MessageAttributeValue] => [
      name,
      { DataType: 'String', StringValue: value },
    ]),
  );
  queues.call('SendMessage', caller, {
    QueueUrl,
    MessageBody: body,
    ...(messageGroupId !== undefined && { MessageGroupId: messageGroupId }),
    ...(Object.keys(attributes).length > 0 && { MessageAttributes }),
  });
}

/**
 * Returns the caller that a service becomes when it assumes a role.
 * @param context condition keys of the service, such as `aws:SourceArn`
 */
export function assumeRole(roles: RoleTrust, service: string, roleArn: string, context: Caller['context']): Caller {
  const { allowed, reason } = roles.decideAssumeRole(service, roleArn, context);
  if (allowed) return roleCaller(roleArn);
  const text = `User: ${service} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
  throw new AccessRefused(ROLE_NOT_ASSUMED, text, 403, reason);
}

/**
 * The error codes that EventBridge writes to dead letters.
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
  /** Whether a retry may help. */
  readonly isRetried: boolean;
}

/** The internal error code for a role that cannot be assumed. AWS does not use it. */
const ROLE_NOT_ASSUMED = 'AccessDeniedForRole';

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
 * Classifies an error of a target. AWS does not retry "missing permissions to a target" or "a target resource that no
 * longer exists". It retries throttling and failures of the target.
 * **Assumption EVENTS-3:** Other client errors are not retried, because a retry would get the same error.
 */
export function targetErrorOf(error: AwsError): TargetError {
  if (isThrottling(error)) return { code: 'THROTTLING', isRetried: true };
  if (isTransient(error)) return { code: 'ERROR_FROM_TARGET', isRetried: true };
  const { code, httpStatus, fault } = error;
  const rule = RULES.find(({ codes, statuses }) => codes.test(code) || statuses?.includes(httpStatus));
  return { code: fault === 'client' && rule ? rule.code : 'SDK_CLIENT_ERROR', isRetried: false };
}

export interface Queues {
  queueByArn(arn: string): { readonly url: string } | undefined;
  /** @throws AwsError the error of SQS */
  call(action: 'SendMessage', caller: Caller, input: SendMessageRequest): unknown;
}

export interface Topics {
  /** @throws AwsError the error of SNS */
  call(action: 'Publish', caller: Caller, input: PublishInput): unknown;
}

export interface EventBuses {
  /** @throws AwsError the error of EventBridge */
  call(action: 'PutEvents', caller: Caller, input: PutEventsRequest): PutEventsResponse;
}

export interface Functions {
  /** @throws AwsError the error of Lambda, thrown or as a rejection */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): unknown;
}

/** Reads the settings that targets of rules and of schedules have in common. */
export function readTargetSettings(target: PropertyReader) {
  const retryPolicy = target.object('RetryPolicy');
  const deadLetters = target.object('DeadLetterConfig');
  const sqs = target.object('SqsParameters');
  return {
    ...(retryPolicy && {
      RetryPolicy: {
        MaximumRetryAttempts: retryPolicy.number('MaximumRetryAttempts'),
        MaximumEventAgeInSeconds: retryPolicy.number('MaximumEventAgeInSeconds'),
      },
    }),
    ...(deadLetters && { DeadLetterConfig: { Arn: deadLetters.string('Arn') } }),
    ...(sqs && { SqsParameters: { MessageGroupId: sqs.string('MessageGroupId') } }),
  };
}
