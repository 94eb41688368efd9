import type { ReceiveMessageRequest, ReceiveMessageResult, SendMessageResult, SQS } from '@aws-sdk/client-sqs';
import type { Action, SdkActions } from '../../kernel/service-api';
import type { SendMessageInput } from '../message/sending';
import { moveTaskActions } from './message-move-tasks';
import { permissionActions } from './permissions';
import { queueAttributeActions } from './queue-attributes';
import { createQueue, queueActions } from './queues';
import { receivedMessageActions, receiveMessage } from './received-messages';
import { sendMessage, sendMessageBatch } from './send-message';

/**
 * The API actions of Amazon SQS that the embedded AWS implements. `SendMessageBatch` requires
 * `sqs:SendMessage`, and so on: batch actions have no permissions of their own.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
 */
export const SQS_ACTIONS = {
  CreateQueue: createQueue,
  ...receivedMessageActions,
  ...queueActions,
  ...moveTaskActions,
  ...permissionActions,
  ...queueAttributeActions,
  ReceiveMessage: receiveMessage,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
};

/** The actions whose input or output differs from the SDK's. */
type OwnActions = {
  /** Other simulated services send texts that are built only when they are read. */
  readonly SendMessage: Action<SendMessageInput, SendMessageResult>;
  /** A long poll returns a promise, which scheduled work resolves. */
  readonly ReceiveMessage: Action<ReceiveMessageRequest, ReceiveMessageResult | Promise<ReceiveMessageResult>>;
};

export type SqsActions = SdkActions<SQS, Exclude<keyof typeof SQS_ACTIONS, keyof OwnActions>> & OwnActions;
