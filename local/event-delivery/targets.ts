import type { PutEventsRequest, PutEventsRequestEntry, PutEventsResponse } from '@aws-sdk/client-eventbridge';
import type { PublishInput } from '@aws-sdk/client-sns';
import type { MessageAttributeValue, SendMessageRequest } from '@aws-sdk/client-sqs';
import type { RoleTrust } from '../kernel/access';
import { AccessRefused, AwsError } from '../kernel/aws-error';
import { type Caller, roleCaller } from '../kernel/caller';
import { type EventInvocation, isThrottling, isTransient } from '../kernel/service-call';

/** What a message to a queue has beside its body. */
export interface MessageExtras {
  readonly messageGroupId?: string | undefined;
  /** Each a string. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Where the queue with an ARN is.
 *
 * @throws AwsError as SQS would answer
 */
export function queueUrl(queues: Pick<Queues, 'queueByArn'>, queueArn: string): string {
  const queue = queues.queueByArn(queueArn);
  if (queue) return queue.url;
  throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
}

/**
 * Puts one event on a bus.
 *
 * @throws AwsError also for an event the bus has not taken, which `PutEvents` does not answer by an error
 */
export function putOneEvent(buses: EventBuses, caller: Caller, entry: PutEventsRequestEntry): void {
  const { Entries: [result] = [] } = buses.call('PutEvents', caller, { Entries: [entry] });
  if (result?.ErrorCode) throw new AwsError(result.ErrorCode, result.ErrorMessage ?? result.ErrorCode);
}

/**
 * Sends to the queue with an ARN.
 *
 * @throws AwsError as SQS would answer
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
 * The caller a service becomes by assuming a role.
 *
 * @param context what the service brings along, such as `aws:SourceArn`
 * @throws AccessRefused when the role does not trust it
 */
export function assumeRole(
  roles: RoleTrust,
  service: string,
  roleArn: string,
  context: Readonly<Record<string, string>>,
): Caller {
  const { allowed, reason } = roles.decideAssumeRole(service, roleArn, context);
  if (allowed) return roleCaller(roleArn);
  const text = `User: ${service} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
  throw new AccessRefused(ROLE_NOT_ASSUMED, text, 403, reason);
}

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

/** What is asked of SQS; SQS itself is one of these. */
export interface Queues {
  queueByArn(arn: string): { readonly url: string } | undefined;
  /** @throws AwsError as SQS would answer */
  call(action: 'SendMessage', caller: Caller, input: SendMessageRequest): unknown;
}

/** What is asked of SNS; SNS itself is one of these. */
export interface Topics {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): unknown;
}

/** What is asked of EventBridge; EventBridge itself is one of these. */
export interface EventBuses {
  /** @throws AwsError as EventBridge would answer */
  call(action: 'PutEvents', caller: Caller, input: PutEventsRequest): PutEventsResponse;
}

/** What is asked of Lambda; Lambda itself is one of these. */
export interface Functions {
  /** @throws AwsError as Lambda would answer, or rejects with it */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): unknown;
}
