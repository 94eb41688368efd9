import type { DoorTable } from '../../kernel/front-door';
import type { SnsActions } from '../sns-actions';
import type { SnsWorld } from '../sns-world';
import { addPermission } from './add-permission';
import { confirmSubscription } from './confirm-subscription';
import { createTopic } from './create-topic';
import { deleteTopic } from './delete-topic';
import { getSubscriptionAttributes } from './get-subscription-attributes';
import { getTopicAttributes } from './get-topic-attributes';
import { listSubscriptions } from './list-subscriptions';
import { listSubscriptionsByTopic } from './list-subscriptions-by-topic';
import { listTagsForResource } from './list-tags-for-resource';
import { listTopics } from './list-topics';
import { publish } from './publish';
import { publishBatch } from './publish-batch';
import { removePermission } from './remove-permission';
import { setSubscriptionAttributes } from './set-subscription-attributes';
import { setTopicAttributes } from './set-topic-attributes';
import { subscribe } from './subscribe';
import { tagResource } from './tag-resource';
import { unsubscribe } from './unsubscribe';
import { untagResource } from './untag-resource';

/** Every API action by its name. */
export const SNS_ACTIONS: DoorTable<SnsWorld, SnsActions> = {
  AddPermission: addPermission,
  ConfirmSubscription: confirmSubscription,
  CreateTopic: createTopic,
  DeleteTopic: deleteTopic,
  GetSubscriptionAttributes: getSubscriptionAttributes,
  GetTopicAttributes: getTopicAttributes,
  ListSubscriptions: listSubscriptions,
  ListSubscriptionsByTopic: listSubscriptionsByTopic,
  ListTagsForResource: listTagsForResource,
  ListTopics: listTopics,
  Publish: publish,
  PublishBatch: publishBatch,
  RemovePermission: removePermission,
  SetSubscriptionAttributes: setSubscriptionAttributes,
  SetTopicAttributes: setTopicAttributes,
  Subscribe: subscribe,
  TagResource: tagResource,
  Unsubscribe: unsubscribe,
  UntagResource: untagResource,
};
