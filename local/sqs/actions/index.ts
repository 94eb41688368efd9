import type { Resource } from '../../kernel/doorkeeper';
import { type DoorAction, type DoorTable, Missing } from '../../kernel/front-door';
import type { Call, Desk } from '../desk';
import { nameInUrl } from '../directory';
import { missingParameter, queueDoesNotExist } from '../errors';
import type { Queue } from '../queue';
import type { SqsActions } from '../sqs-actions';
import { changeMessageVisibility } from './change-message-visibility';
import { changeMessageVisibilityBatch } from './change-message-visibility-batch';
import { createQueue } from './create-queue';
import { deleteMessage } from './delete-message';
import { deleteMessageBatch } from './delete-message-batch';
import { deleteQueue } from './delete-queue';
import { getQueueAttributes } from './get-queue-attributes';
import { getQueueUrl } from './get-queue-url';
import { listDeadLetterSourceQueues } from './list-dead-letter-source-queues';
import { listQueues } from './list-queues';
import { purgeQueue } from './purge-queue';
import { receiveMessage } from './receive-message';
import { sendMessage } from './send-message';
import { sendMessageBatch } from './send-message-batch';
import { setQueueAttributes } from './set-queue-attributes';

type OnQueue<Input, Output> = (desk: Desk, queue: Queue, call: Call<Input>) => Output;
type OnService<Input, Output> = (desk: Desk, call: Call<Input>) => Output;

/** The queue at the URL a call names. */
function queueAt({ context, directory }: Desk, url: string | undefined): Queue | Missing {
  const name = nameInUrl(url ?? '', context.place) ?? '';
  const queue = directory.findByName(name);
  if (url && queue) return queue;
  return new Missing(directory.arnOf(name), url ? queueDoesNotExist() : missingParameter('QueueUrl'));
}

/** An action on a queue that is there. */
function onQueue<Input extends { QueueUrl: string | undefined }, Output>(
  permission: string,
  run: OnQueue<Input, Output>,
): DoorAction<Desk, Input, Output, Queue> {
  return {
    permission,
    resourceOf: (desk, { QueueUrl }) => queueAt(desk, QueueUrl),
    run: (desk, call, queue) => {
      queue.use();
      return run(desk, queue, call);
    },
  };
}

/** An action on a queue that may be there, by its name. */
function onName<Input extends { QueueName: string | undefined }, Output>(
  permission: string,
  run: OnService<Input, Output>,
): DoorAction<Desk, Input, Output> {
  return {
    permission,
    resourceOf: ({ directory }, { QueueName = '' }): Resource =>
      directory.findByName(QueueName) ?? { arn: directory.arnOf(QueueName) },
    run,
  };
}

/** Every API action, with the permission it takes; a batch takes that of its entries. */
export const SQS_ACTIONS: DoorTable<Desk, SqsActions> = {
  CreateQueue: onName('sqs:CreateQueue', createQueue),
  GetQueueUrl: onName('sqs:GetQueueUrl', getQueueUrl),
  ListQueues: { permission: 'sqs:ListQueues', resourceOf: () => ({ arn: '*' }), run: listQueues },
  GetQueueAttributes: onQueue('sqs:GetQueueAttributes', getQueueAttributes),
  SetQueueAttributes: onQueue('sqs:SetQueueAttributes', setQueueAttributes),
  ListDeadLetterSourceQueues: onQueue('sqs:ListDeadLetterSourceQueues', listDeadLetterSourceQueues),
  DeleteQueue: onQueue('sqs:DeleteQueue', deleteQueue),
  PurgeQueue: onQueue('sqs:PurgeQueue', purgeQueue),
  SendMessage: onQueue('sqs:SendMessage', sendMessage),
  SendMessageBatch: onQueue('sqs:SendMessage', sendMessageBatch),
  ReceiveMessage: onQueue('sqs:ReceiveMessage', receiveMessage),
  DeleteMessage: onQueue('sqs:DeleteMessage', deleteMessage),
  DeleteMessageBatch: onQueue('sqs:DeleteMessage', deleteMessageBatch),
  ChangeMessageVisibility: onQueue('sqs:ChangeMessageVisibility', changeMessageVisibility),
  ChangeMessageVisibilityBatch: onQueue('sqs:ChangeMessageVisibility', changeMessageVisibilityBatch),
};
