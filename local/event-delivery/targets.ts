import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { AccessRefused, AwsError } from '../kernel/aws-error';
import { type Caller, roleCaller } from '../kernel/caller';
import type { RoleTrust } from '../kernel/role-trust';
import type { EventBuses, Queues } from './ports';
import { ROLE_NOT_ASSUMED } from './target-error';

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
