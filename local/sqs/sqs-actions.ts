import type {
  AddPermissionRequest,
  CancelMessageMoveTaskRequest,
  CancelMessageMoveTaskResult,
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResult,
  ChangeMessageVisibilityRequest,
  CreateQueueRequest,
  CreateQueueResult,
  DeleteMessageBatchRequest,
  DeleteMessageBatchResult,
  DeleteMessageRequest,
  DeleteQueueRequest,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  GetQueueUrlRequest,
  GetQueueUrlResult,
  ListDeadLetterSourceQueuesRequest,
  ListDeadLetterSourceQueuesResult,
  ListMessageMoveTasksRequest,
  ListMessageMoveTasksResult,
  ListQueuesRequest,
  ListQueuesResult,
  ListQueueTagsRequest,
  ListQueueTagsResult,
  PurgeQueueRequest,
  ReceiveMessageRequest,
  ReceiveMessageResult,
  RemovePermissionRequest,
  SendMessageBatchRequest,
  SendMessageBatchResult,
  SendMessageResult,
  SetQueueAttributesRequest,
  StartMessageMoveTaskRequest,
  StartMessageMoveTaskResult,
  TagQueueRequest,
  UntagQueueRequest,
} from '@aws-sdk/client-sqs';
import type { Action } from '../kernel/service-api';
import type { SendMessageInput } from './sending';

/** The API actions of the embedded SQS, with their inputs and outputs. */
export type SqsActions = {
  readonly CreateQueue: Action<CreateQueueRequest, CreateQueueResult>;
  readonly GetQueueUrl: Action<GetQueueUrlRequest, GetQueueUrlResult>;
  readonly GetQueueAttributes: Action<GetQueueAttributesRequest, GetQueueAttributesResult>;
  readonly SetQueueAttributes: Action<SetQueueAttributesRequest, void>;
  readonly ListQueues: Action<ListQueuesRequest, ListQueuesResult>;
  readonly ListDeadLetterSourceQueues: Action<ListDeadLetterSourceQueuesRequest, ListDeadLetterSourceQueuesResult>;
  readonly DeleteQueue: Action<DeleteQueueRequest, void>;
  readonly PurgeQueue: Action<PurgeQueueRequest, void>;
  readonly SendMessage: Action<SendMessageInput, SendMessageResult>;
  readonly SendMessageBatch: Action<SendMessageBatchRequest, SendMessageBatchResult>;
  /** A long poll returns a promise, which scheduled work resolves. */
  readonly ReceiveMessage: Action<ReceiveMessageRequest, ReceiveMessageResult | Promise<ReceiveMessageResult>>;
  readonly DeleteMessage: Action<DeleteMessageRequest, void>;
  readonly DeleteMessageBatch: Action<DeleteMessageBatchRequest, DeleteMessageBatchResult>;
  readonly ChangeMessageVisibility: Action<ChangeMessageVisibilityRequest, void>;
  readonly ChangeMessageVisibilityBatch: Action<
    ChangeMessageVisibilityBatchRequest,
    ChangeMessageVisibilityBatchResult
  >;
  readonly TagQueue: Action<TagQueueRequest, void>;
  readonly UntagQueue: Action<UntagQueueRequest, void>;
  readonly ListQueueTags: Action<ListQueueTagsRequest, ListQueueTagsResult>;
  readonly AddPermission: Action<AddPermissionRequest, void>;
  readonly RemovePermission: Action<RemovePermissionRequest, void>;
  readonly StartMessageMoveTask: Action<StartMessageMoveTaskRequest, StartMessageMoveTaskResult>;
  readonly ListMessageMoveTasks: Action<ListMessageMoveTasksRequest, ListMessageMoveTasksResult>;
  readonly CancelMessageMoveTask: Action<CancelMessageMoveTaskRequest, CancelMessageMoveTaskResult>;
};
