import type { ServiceActions } from '../../kernel/front-door';
import type { SnsActions } from '../sns-actions';
import type { SnsInternals } from '../sns-world';
import { addPermission } from './add-permission';
import { checkIfPhoneNumberIsOptedOut } from './check-if-phone-number-is-opted-out';
import { confirmSubscription } from './confirm-subscription';
import { createPlatformApplication } from './create-platform-application';
import { createPlatformEndpoint } from './create-platform-endpoint';
import { createTopic } from './create-topic';
import { deleteEndpoint } from './delete-endpoint';
import { deletePlatformApplication } from './delete-platform-application';
import { deleteTopic } from './delete-topic';
import { getEndpointAttributes } from './get-endpoint-attributes';
import { getPlatformApplicationAttributes } from './get-platform-application-attributes';
import { getSMSAttributes } from './get-sms-attributes';
import { getSubscriptionAttributes } from './get-subscription-attributes';
import { getTopicAttributes } from './get-topic-attributes';
import { listEndpointsByPlatformApplication } from './list-endpoints-by-platform-application';
import { listPhoneNumbersOptedOut } from './list-phone-numbers-opted-out';
import { listPlatformApplications } from './list-platform-applications';
import { listSubscriptions } from './list-subscriptions';
import { listSubscriptionsByTopic } from './list-subscriptions-by-topic';
import { listTagsForResource } from './list-tags-for-resource';
import { listTopics } from './list-topics';
import { optInPhoneNumber } from './opt-in-phone-number';
import { publish } from './publish';
import { publishBatch } from './publish-batch';
import { removePermission } from './remove-permission';
import { setEndpointAttributes } from './set-endpoint-attributes';
import { setPlatformApplicationAttributes } from './set-platform-application-attributes';
import { setSMSAttributes } from './set-sms-attributes';
import { setSubscriptionAttributes } from './set-subscription-attributes';
import { setTopicAttributes } from './set-topic-attributes';
import { subscribe } from './subscribe';
import { tagResource } from './tag-resource';
import { unsubscribe } from './unsubscribe';
import { untagResource } from './untag-resource';

/** Every API action by its name. */
export const SNS_ACTIONS: ServiceActions<SnsInternals, SnsActions> = {
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
