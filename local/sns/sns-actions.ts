import type {
  AddPermissionInput,
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
  ListTagsForResourceRequest,
  ListTagsForResourceResponse,
  ListTopicsInput,
  ListTopicsResponse,
  PublishBatchInput,
  PublishBatchResponse,
  PublishInput,
  PublishResponse,
  RemovePermissionInput,
  SetSubscriptionAttributesInput,
  SetTopicAttributesInput,
  SubscribeInput,
  SubscribeResponse,
  TagResourceRequest,
  TagResourceResponse,
  UnsubscribeInput,
  UntagResourceRequest,
  UntagResourceResponse,
} from '@aws-sdk/client-sns';
import type { Action } from '../kernel/api';

/**
 * The API actions SNS answers here.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Operations.html
 */
export type SnsActions = {
  readonly AddPermission: Action<AddPermissionInput, void>;
  readonly ConfirmSubscription: Action<ConfirmSubscriptionInput, ConfirmSubscriptionResponse>;
  readonly CreateTopic: Action<CreateTopicInput, CreateTopicResponse>;
  readonly DeleteTopic: Action<DeleteTopicInput, void>;
  readonly GetSubscriptionAttributes: Action<GetSubscriptionAttributesInput, GetSubscriptionAttributesResponse>;
  readonly GetTopicAttributes: Action<GetTopicAttributesInput, GetTopicAttributesResponse>;
  readonly ListSubscriptions: Action<ListSubscriptionsInput, ListSubscriptionsResponse>;
  readonly ListSubscriptionsByTopic: Action<ListSubscriptionsByTopicInput, ListSubscriptionsByTopicResponse>;
  readonly ListTagsForResource: Action<ListTagsForResourceRequest, ListTagsForResourceResponse>;
  readonly ListTopics: Action<ListTopicsInput, ListTopicsResponse>;
  readonly Publish: Action<PublishInput, PublishResponse>;
  readonly PublishBatch: Action<PublishBatchInput, PublishBatchResponse>;
  readonly RemovePermission: Action<RemovePermissionInput, void>;
  readonly SetSubscriptionAttributes: Action<SetSubscriptionAttributesInput, void>;
  readonly SetTopicAttributes: Action<SetTopicAttributesInput, void>;
  readonly Subscribe: Action<SubscribeInput, SubscribeResponse>;
  readonly TagResource: Action<TagResourceRequest, TagResourceResponse>;
  readonly Unsubscribe: Action<UnsubscribeInput, void>;
  readonly UntagResource: Action<UntagResourceRequest, UntagResourceResponse>;
};

export type SnsActionName = keyof SnsActions;
