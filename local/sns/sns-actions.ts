import type {
  ConfirmSubscriptionInput,
  ConfirmSubscriptionResponse,
  CreateTopicInput,
  CreateTopicResponse,
  DeleteTopicInput,
  GetSubscriptionAttributesInput,
  GetSubscriptionAttributesResponse,
  GetTopicAttributesInput,
  GetTopicAttributesResponse,
  ListSubscriptionsByTopicInput,
  ListSubscriptionsByTopicResponse,
  ListSubscriptionsInput,
  ListSubscriptionsResponse,
  ListTopicsInput,
  ListTopicsResponse,
  PublishBatchInput,
  PublishBatchResponse,
  PublishInput,
  PublishResponse,
  SetSubscriptionAttributesInput,
  SetTopicAttributesInput,
  SubscribeInput,
  SubscribeResponse,
  UnsubscribeInput,
} from '@aws-sdk/client-sns';
import type { Action } from '../kernel/api';

/**
 * The API actions SNS answers here.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Operations.html
 */
export type SnsActions = {
  readonly ConfirmSubscription: Action<ConfirmSubscriptionInput, ConfirmSubscriptionResponse>;
  readonly CreateTopic: Action<CreateTopicInput, CreateTopicResponse>;
  readonly DeleteTopic: Action<DeleteTopicInput, void>;
  readonly GetSubscriptionAttributes: Action<GetSubscriptionAttributesInput, GetSubscriptionAttributesResponse>;
  readonly GetTopicAttributes: Action<GetTopicAttributesInput, GetTopicAttributesResponse>;
  readonly ListSubscriptions: Action<ListSubscriptionsInput, ListSubscriptionsResponse>;
  readonly ListSubscriptionsByTopic: Action<ListSubscriptionsByTopicInput, ListSubscriptionsByTopicResponse>;
  readonly ListTopics: Action<ListTopicsInput, ListTopicsResponse>;
  readonly Publish: Action<PublishInput, PublishResponse>;
  readonly PublishBatch: Action<PublishBatchInput, PublishBatchResponse>;
  readonly SetSubscriptionAttributes: Action<SetSubscriptionAttributesInput, void>;
  readonly SetTopicAttributes: Action<SetTopicAttributesInput, void>;
  readonly Subscribe: Action<SubscribeInput, SubscribeResponse>;
  readonly Unsubscribe: Action<UnsubscribeInput, void>;
};

export type SnsActionName = keyof SnsActions;
