import type {
  AddPermissionInput,
  CheckIfPhoneNumberIsOptedOutInput,
  CheckIfPhoneNumberIsOptedOutResponse,
  ConfirmSubscriptionInput,
  ConfirmSubscriptionResponse,
  CreateEndpointResponse,
  CreatePlatformApplicationInput,
  CreatePlatformApplicationResponse,
  CreatePlatformEndpointInput,
  CreateTopicInput,
  CreateTopicResponse,
  DeleteEndpointInput,
  DeletePlatformApplicationInput,
  DeleteTopicInput,
  GetEndpointAttributesInput,
  GetEndpointAttributesResponse,
  GetPlatformApplicationAttributesInput,
  GetPlatformApplicationAttributesResponse,
  GetSMSAttributesInput,
  GetSMSAttributesResponse,
  GetSubscriptionAttributesInput,
  GetSubscriptionAttributesResponse,
  GetTopicAttributesInput,
  GetTopicAttributesResponse,
  ListEndpointsByPlatformApplicationInput,
  ListEndpointsByPlatformApplicationResponse,
  ListPhoneNumbersOptedOutInput,
  ListPhoneNumbersOptedOutResponse,
  ListPlatformApplicationsInput,
  ListPlatformApplicationsResponse,
  ListSubscriptionsByTopicInput,
  ListSubscriptionsByTopicResponse,
  ListSubscriptionsInput,
  ListSubscriptionsResponse,
  ListTagsForResourceRequest,
  ListTagsForResourceResponse,
  ListTopicsInput,
  ListTopicsResponse,
  OptInPhoneNumberInput,
  OptInPhoneNumberResponse,
  PublishBatchInput,
  PublishBatchResponse,
  PublishInput,
  PublishResponse,
  RemovePermissionInput,
  SetEndpointAttributesInput,
  SetPlatformApplicationAttributesInput,
  SetSMSAttributesInput,
  SetSMSAttributesResponse,
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
import type { Action } from '../kernel/service-api';

/**
 * The API actions of the embedded SNS.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Operations.html
 */
export type SnsActions = {
  readonly AddPermission: Action<AddPermissionInput, void>;
  readonly CheckIfPhoneNumberIsOptedOut: Action<
    CheckIfPhoneNumberIsOptedOutInput,
    CheckIfPhoneNumberIsOptedOutResponse
  >;
  readonly ConfirmSubscription: Action<ConfirmSubscriptionInput, ConfirmSubscriptionResponse>;
  readonly CreatePlatformApplication: Action<CreatePlatformApplicationInput, CreatePlatformApplicationResponse>;
  readonly CreatePlatformEndpoint: Action<CreatePlatformEndpointInput, CreateEndpointResponse>;
  readonly CreateTopic: Action<CreateTopicInput, CreateTopicResponse>;
  readonly DeleteEndpoint: Action<DeleteEndpointInput, void>;
  readonly DeletePlatformApplication: Action<DeletePlatformApplicationInput, void>;
  readonly DeleteTopic: Action<DeleteTopicInput, void>;
  readonly GetEndpointAttributes: Action<GetEndpointAttributesInput, GetEndpointAttributesResponse>;
  readonly GetPlatformApplicationAttributes: Action<
    GetPlatformApplicationAttributesInput,
    GetPlatformApplicationAttributesResponse
  >;
  readonly GetSMSAttributes: Action<GetSMSAttributesInput, GetSMSAttributesResponse>;
  readonly GetSubscriptionAttributes: Action<GetSubscriptionAttributesInput, GetSubscriptionAttributesResponse>;
  readonly GetTopicAttributes: Action<GetTopicAttributesInput, GetTopicAttributesResponse>;
  readonly ListEndpointsByPlatformApplication: Action<
    ListEndpointsByPlatformApplicationInput,
    ListEndpointsByPlatformApplicationResponse
  >;
  readonly ListPhoneNumbersOptedOut: Action<ListPhoneNumbersOptedOutInput, ListPhoneNumbersOptedOutResponse>;
  readonly ListPlatformApplications: Action<ListPlatformApplicationsInput, ListPlatformApplicationsResponse>;
  readonly ListSubscriptions: Action<ListSubscriptionsInput, ListSubscriptionsResponse>;
  readonly ListSubscriptionsByTopic: Action<ListSubscriptionsByTopicInput, ListSubscriptionsByTopicResponse>;
  readonly ListTagsForResource: Action<ListTagsForResourceRequest, ListTagsForResourceResponse>;
  readonly ListTopics: Action<ListTopicsInput, ListTopicsResponse>;
  readonly OptInPhoneNumber: Action<OptInPhoneNumberInput, OptInPhoneNumberResponse>;
  readonly Publish: Action<PublishInput, PublishResponse>;
  readonly PublishBatch: Action<PublishBatchInput, PublishBatchResponse>;
  readonly RemovePermission: Action<RemovePermissionInput, void>;
  readonly SetEndpointAttributes: Action<SetEndpointAttributesInput, void>;
  readonly SetPlatformApplicationAttributes: Action<SetPlatformApplicationAttributesInput, void>;
  readonly SetSMSAttributes: Action<SetSMSAttributesInput, SetSMSAttributesResponse>;
  readonly SetSubscriptionAttributes: Action<SetSubscriptionAttributesInput, void>;
  readonly SetTopicAttributes: Action<SetTopicAttributesInput, void>;
  readonly Subscribe: Action<SubscribeInput, SubscribeResponse>;
  readonly TagResource: Action<TagResourceRequest, TagResourceResponse>;
  readonly Unsubscribe: Action<UnsubscribeInput, void>;
  readonly UntagResource: Action<UntagResourceRequest, UntagResourceResponse>;
};

export type SnsActionName = keyof SnsActions;
