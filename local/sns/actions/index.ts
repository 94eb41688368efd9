import type { SNS } from '@aws-sdk/client-sns';
import type { SdkActions } from '../../kernel/service-api';
import { confirmSubscription } from './confirm-subscription';
import {
  createPlatformApplication,
  createPlatformEndpoint,
  deleteEndpoint,
  deletePlatformApplication,
  getEndpointAttributes,
  getPlatformApplicationAttributes,
  listEndpointsByPlatformApplication,
  listPlatformApplications,
  setEndpointAttributes,
  setPlatformApplicationAttributes,
} from './mobile-push';
import { addPermission, removePermission } from './permissions';
import { publish } from './publish';
import { publishBatch } from './publish-batch';
import { subscribe } from './subscribe';
import {
  getSubscriptionAttributes,
  listSubscriptions,
  listSubscriptionsByTopic,
  setSubscriptionAttributes,
} from './subscriptions';
import { listTagsForResource, tagResource, untagResource } from './tags';
import {
  checkIfPhoneNumberIsOptedOut,
  getSMSAttributes,
  listPhoneNumbersOptedOut,
  optInPhoneNumber,
  setSMSAttributes,
} from './text-messages';
import { createTopic, deleteTopic, getTopicAttributes, listTopics, setTopicAttributes } from './topics';
import { unsubscribe } from './unsubscribe';

/**
 * The API actions of Amazon SNS that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Operations.html
 */
export const SNS_ACTIONS = {
  AddPermission: addPermission,
  CheckIfPhoneNumberIsOptedOut: checkIfPhoneNumberIsOptedOut,
  ConfirmSubscription: confirmSubscription,
  CreatePlatformApplication: createPlatformApplication,
  CreatePlatformEndpoint: createPlatformEndpoint,
  CreateTopic: createTopic,
  DeleteEndpoint: deleteEndpoint,
  DeletePlatformApplication: deletePlatformApplication,
  DeleteTopic: deleteTopic,
  GetEndpointAttributes: getEndpointAttributes,
  GetPlatformApplicationAttributes: getPlatformApplicationAttributes,
  GetSMSAttributes: getSMSAttributes,
  GetSubscriptionAttributes: getSubscriptionAttributes,
  GetTopicAttributes: getTopicAttributes,
  ListEndpointsByPlatformApplication: listEndpointsByPlatformApplication,
  ListPhoneNumbersOptedOut: listPhoneNumbersOptedOut,
  ListPlatformApplications: listPlatformApplications,
  ListSubscriptions: listSubscriptions,
  ListSubscriptionsByTopic: listSubscriptionsByTopic,
  ListTagsForResource: listTagsForResource,
  ListTopics: listTopics,
  OptInPhoneNumber: optInPhoneNumber,
  Publish: publish,
  PublishBatch: publishBatch,
  RemovePermission: removePermission,
  SetEndpointAttributes: setEndpointAttributes,
  SetPlatformApplicationAttributes: setPlatformApplicationAttributes,
  SetSMSAttributes: setSMSAttributes,
  SetSubscriptionAttributes: setSubscriptionAttributes,
  SetTopicAttributes: setTopicAttributes,
  Subscribe: subscribe,
  TagResource: tagResource,
  Unsubscribe: unsubscribe,
  UntagResource: untagResource,
};

export type SnsActionName = keyof typeof SNS_ACTIONS;

/** The signatures of the implemented actions. */
export type SnsActions = SdkActions<SNS, SnsActionName>;
