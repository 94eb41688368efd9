import type { ReceiveMessageRequest, ReceiveMessageResult, SendMessageResult, SQS } from '@aws-sdk/client-sqs';
import {
  type Action,
  MissingResource,
  type Resource,
  type SdkActions,
  type ServiceAction,
} from '../../kernel/service-api';
import { missingParameter, queueDoesNotExist } from '../errors';
import type { SendMessageInput } from '../message/sending';
import { noSuchResource, readTaskHandle } from '../move-task/move-task-rules';
import { nameInUrl } from '../queue/directory';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { changeMessageVisibility, changeMessageVisibilityBatch } from './change-message-visibility';
import { createQueue } from './create-queue';
import { deleteMessage, deleteMessageBatch } from './delete-message';
import { deleteQueue, purgeQueue } from './delete-queue';
import { getQueueUrl, listDeadLetterSourceQueues, listQueues } from './list-queues';
import { cancelMessageMoveTask, listMessageMoveTasks, startMessageMoveTask } from './message-move-tasks';
import { addPermission, removePermission } from './permissions';
import { getQueueAttributes, setQueueAttributes } from './queue-attributes';
import { listQueueTags, tagQueue, untagQueue } from './queue-tags';
import { receiveMessage } from './receive-message';
import { sendMessage, sendMessageBatch } from './send-message';

type OnQueue<Input, Output> = (state: SqsState, queue: Queue, call: Call<Input>) => Output;
type OnService<Input, Output> = (state: SqsState, call: Call<Input>) => Output;

/** Returns the queue at the URL of a call. */
function queueAt({ context, directory }: SqsState, url: string | undefined): Queue | MissingResource {
  const name = nameInUrl(url ?? '', context.place) ?? '';
  const queue = directory.findByName(name);
  if (url && queue) return queue;
  return new MissingResource(directory.arnOf(name), url ? queueDoesNotExist() : missingParameter('QueueUrl'));
}

/** An action on an existing queue. */
function onQueue<Input extends { QueueUrl: string | undefined }, Output>(
  permission: string,
  run: OnQueue<Input, Output>,
): ServiceAction<SqsState, Input, Output, Queue> {
  return {
    permission,
    resourceOf: (state, { QueueUrl }) => queueAt(state, QueueUrl),
    run: (state, call, queue) => {
      queue.use();
      return run(state, queue, call);
    },
  };
}

/** An action on a queue name, whether or not the queue exists. */
function onName<Input extends { QueueName: string | undefined }, Output>(
  permission: string,
  run: OnService<Input, Output>,
): ServiceAction<SqsState, Input, Output> {
  return {
    permission,
    resourceOf: ({ directory }, { QueueName = '' }): Resource =>
      directory.findByName(QueueName) ?? { arn: directory.arnOf(QueueName) },
    run,
  };
}

/** An action on the source queue of message move tasks. */
function onSource<Input, Output>(
  permission: string,
  sourceArnOf: (input: Input) => string | undefined,
  run: OnQueue<Input, Output>,
): ServiceAction<SqsState, Input, Output, Queue> {
  return {
    permission,
    resourceOf: ({ directory }, input) => {
      const arn = sourceArnOf(input);
      if (!arn) throw missingParameter('SourceArn');
      return directory.findByArn(arn) ?? new MissingResource(arn, noSuchResource('SourceArn'));
    },
    run: (state, call, queue) => run(state, queue, call),
  };
}

function sourceInHandle({ TaskHandle: handle }: { TaskHandle: string | undefined }): string {
  if (!handle) throw missingParameter('TaskHandle');
  return readTaskHandle(handle).sourceArn;
}

/**
 * The actions that no other account can use, whatever the policy of the queue allows.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-limitations-of-custom-policies.html
 */
function ownAccountOnly<Action extends object>(action: Action): Action & { readonly isForOwnAccountOnly: true } {
  return { ...action, isForOwnAccountOnly: true };
}

/**
 * The API actions of Amazon SQS that the embedded AWS implements. `SendMessageBatch` requires
 * `sqs:SendMessage`, and so on: batch actions have no permissions of their own.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
 */
export const SQS_ACTIONS = {
  CreateQueue: ownAccountOnly(onName('sqs:CreateQueue', createQueue)),
  GetQueueUrl: onName('sqs:GetQueueUrl', getQueueUrl),
  ListQueues: { permission: 'sqs:ListQueues', resourceOf: () => ({ arn: '*' }), run: listQueues },
  GetQueueAttributes: onQueue('sqs:GetQueueAttributes', getQueueAttributes),
  SetQueueAttributes: ownAccountOnly(onQueue('sqs:SetQueueAttributes', setQueueAttributes)),
  ListDeadLetterSourceQueues: onQueue('sqs:ListDeadLetterSourceQueues', listDeadLetterSourceQueues),
  DeleteQueue: ownAccountOnly(onQueue('sqs:DeleteQueue', deleteQueue)),
  PurgeQueue: onQueue('sqs:PurgeQueue', purgeQueue),
  SendMessage: onQueue('sqs:SendMessage', sendMessage),
  SendMessageBatch: onQueue('sqs:SendMessage', sendMessageBatch),
  ReceiveMessage: onQueue('sqs:ReceiveMessage', receiveMessage),
  DeleteMessage: onQueue('sqs:DeleteMessage', deleteMessage),
  DeleteMessageBatch: onQueue('sqs:DeleteMessage', deleteMessageBatch),
  ChangeMessageVisibility: onQueue('sqs:ChangeMessageVisibility', changeMessageVisibility),
  ChangeMessageVisibilityBatch: onQueue('sqs:ChangeMessageVisibility', changeMessageVisibilityBatch),
  TagQueue: ownAccountOnly(onQueue('sqs:TagQueue', tagQueue)),
  UntagQueue: ownAccountOnly(onQueue('sqs:UntagQueue', untagQueue)),
  ListQueueTags: ownAccountOnly(onQueue('sqs:ListQueueTags', listQueueTags)),
  AddPermission: ownAccountOnly(onQueue('sqs:AddPermission', addPermission)),
  RemovePermission: ownAccountOnly(onQueue('sqs:RemovePermission', removePermission)),
  StartMessageMoveTask: ownAccountOnly(
    onSource('sqs:StartMessageMoveTask', ({ SourceArn }) => SourceArn, startMessageMoveTask),
  ),
  ListMessageMoveTasks: ownAccountOnly(
    onSource('sqs:ListMessageMoveTasks', ({ SourceArn }) => SourceArn, listMessageMoveTasks),
  ),
  CancelMessageMoveTask: ownAccountOnly(onSource('sqs:CancelMessageMoveTask', sourceInHandle, cancelMessageMoveTask)),
};

/** The actions whose input or output differs from the SDK's. */
type OwnActions = {
  /** Other simulated services send texts that are built only when they are read. */
  readonly SendMessage: Action<SendMessageInput, SendMessageResult>;
  /** A long poll returns a promise, which scheduled work resolves. */
  readonly ReceiveMessage: Action<ReceiveMessageRequest, ReceiveMessageResult | Promise<ReceiveMessageResult>>;
};

/** The signatures of the implemented actions. */
export type SqsActions = SdkActions<SQS, Exclude<keyof typeof SQS_ACTIONS, keyof OwnActions>> & OwnActions;
