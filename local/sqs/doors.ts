import type { InputOf, OutputOf } from '../kernel/api';
import { changeMessageVisibility } from './actions/change-message-visibility';
import { changeMessageVisibilityBatch } from './actions/change-message-visibility-batch';
import { createQueue } from './actions/create-queue';
import { deleteMessage } from './actions/delete-message';
import { deleteMessageBatch } from './actions/delete-message-batch';
import { deleteQueue } from './actions/delete-queue';
import { getQueueAttributes } from './actions/get-queue-attributes';
import { getQueueUrl } from './actions/get-queue-url';
import { listDeadLetterSourceQueues } from './actions/list-dead-letter-source-queues';
import { listQueues } from './actions/list-queues';
import { purgeQueue } from './actions/purge-queue';
import { receiveMessage } from './actions/receive-message';
import { sendMessage } from './actions/send-message';
import { sendMessageBatch } from './actions/send-message-batch';
import { setQueueAttributes } from './actions/set-queue-attributes';
import type { Call, Desk } from './desk';
import { identityOf, nameInUrl } from './directory';
import { missingParameter, queueDoesNotExist } from './errors';
import type { Queue } from './queue';
import type { SqsActions } from './sqs-actions';

type Door<Input, Output> = (call: Call<Input>) => Output;

/** The actions as they are called from outside: each behind the checks all of them share. */
export type Doors = {
  readonly [Name in keyof SqsActions]: Door<InputOf<SqsActions[Name]>, OutputOf<SqsActions[Name]>>;
};

/** Every action with the permission it takes; a batch takes the permission of its entries. */
export function sqsDoors(desk: Desk): Doors {
  /** For actions on a queue that is there. */
  const onQueue = <Input extends { QueueUrl: string | undefined }, Output>(
    action: keyof SqsActions,
    run: (desk: Desk, queue: Queue, call: Call<Input>) => Output,
    permission: string = action,
  ): Door<Input, Output> => {
    return call => {
      const name = nameInUrl(call.input.QueueUrl ?? '', desk.context.place) ?? '';
      const { arn } = identityOf(name, desk.context.place);
      return desk.noting(action, arn, () => {
        desk.checkFault(action, arn);
        if (!call.input.QueueUrl) throw missingParameter('QueueUrl');
        const queue = desk.directory.findByName(name);
        if (!queue) throw queueDoesNotExist();
        desk.checkAccess(call.caller, `sqs:${permission}`, arn, queue);
        queue.use();
        return run(desk, queue, call);
      });
    };
  };

  /** For actions that are not called on a queue by its URL; `resourceOf` names what they are about. */
  const onService = <Input, Output>(
    action: keyof SqsActions,
    resourceOf: (input: Input) => string,
    run: (desk: Desk, call: Call<Input>) => Output,
  ): Door<Input, Output> => {
    return call => {
      const resource = resourceOf(call.input);
      return desk.noting(action, resource, () => {
        desk.checkFault(action, resource);
        desk.checkAccess(call.caller, `sqs:${action}`, resource, desk.directory.findByArn(resource));
        return run(desk, call);
      });
    };
  };

  const named = ({ QueueName = '' }: { QueueName: string | undefined }): string =>
    identityOf(QueueName, desk.context.place).arn;

  return {
    CreateQueue: onService('CreateQueue', named, createQueue),
    GetQueueUrl: onService('GetQueueUrl', named, getQueueUrl),
    ListQueues: onService('ListQueues', () => '*', listQueues),
    GetQueueAttributes: onQueue('GetQueueAttributes', getQueueAttributes),
    SetQueueAttributes: onQueue('SetQueueAttributes', setQueueAttributes),
    ListDeadLetterSourceQueues: onQueue('ListDeadLetterSourceQueues', listDeadLetterSourceQueues),
    DeleteQueue: onQueue('DeleteQueue', deleteQueue),
    PurgeQueue: onQueue('PurgeQueue', purgeQueue),
    SendMessage: onQueue('SendMessage', sendMessage),
    SendMessageBatch: onQueue('SendMessageBatch', sendMessageBatch, 'SendMessage'),
    ReceiveMessage: onQueue('ReceiveMessage', receiveMessage),
    DeleteMessage: onQueue('DeleteMessage', deleteMessage),
    DeleteMessageBatch: onQueue('DeleteMessageBatch', deleteMessageBatch, 'DeleteMessage'),
    ChangeMessageVisibility: onQueue('ChangeMessageVisibility', changeMessageVisibility),
    ChangeMessageVisibilityBatch: onQueue(
      'ChangeMessageVisibilityBatch',
      changeMessageVisibilityBatch,
      'ChangeMessageVisibility',
    ),
  };
}
