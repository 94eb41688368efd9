import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ROLE_SEND_ACTIONS } from './key';

const READ_KEY_ACTIONS = ['kms:Decrypt'];

/** Everything a move task takes of the queue it empties, and whoever watches it. */
const REDRIVE_ACTIONS = [
  'sqs:StartMessageMoveTask',
  'sqs:ListMessageMoveTasks',
  'sqs:CancelMessageMoveTask',
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
];

const PEEK_ACTIONS = ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

function grant(queue: IQueue, grantee: IGrantable, actions: string[], keyActions: string[]): Grant {
  const granted = queue.grant(grantee, ...actions);
  const onKey = queue.encryptionMasterKey?.grant(grantee, ...keyActions);
  return onKey ? granted.combine(onKey) : granted;
}

/** Lets somebody send to a queue, and use its key for that. */
export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  return grant(queue, grantee, ['sqs:SendMessage'], ROLE_SEND_ACTIONS);
}

/**
 * Lets somebody move what is in `queue` to `destination`, by a move task of SQS, and watch and cancel such tasks.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function grantRedrive(queue: IQueue, grantee: IGrantable, destination: IQueue): Grant {
  return grant(queue, grantee, REDRIVE_ACTIONS, READ_KEY_ACTIONS).combine(grantSend(destination, grantee));
}

/** Lets somebody look at the messages in a queue, and put them back, but not take them out. */
export function grantPeek(queue: IQueue, grantee: IGrantable): Grant {
  return grant(queue, grantee, PEEK_ACTIONS, READ_KEY_ACTIONS);
}
