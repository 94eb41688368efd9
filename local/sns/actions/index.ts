import type { DoorTable } from '../../kernel/front-door';
import type { SnsActions } from '../sns-actions';
import type { SnsWorld } from '../sns-world';
import { confirmSubscription } from './confirm-subscription';
import { createTopic } from './create-topic';
import { deleteTopic } from './delete-topic';
import { getSubscriptionAttributes } from './get-subscription-attributes';
import { getTopicAttributes } from './get-topic-attributes';
import { listSubscriptions } from './list-subscriptions';
import { listSubscriptionsByTopic } from './list-subscriptions-by-topic';
import { listTopics } from './list-topics';
import { publish } from './publish';
import { publishBatch } from './publish-batch';
import { setSubscriptionAttributes } from './set-subscription-attributes';
import { setTopicAttributes } from './set-topic-attributes';
import { subscribe } from './subscribe';
import { unsubscribe } from './unsubscribe';

/** Every API action by its name. */
export const SNS_ACTIONS: DoorTable<SnsWorld, SnsActions> = {
  ConfirmSubscription: confirmSubscription,
  CreateTopic: createTopic,
  DeleteTopic: deleteTopic,
  GetSubscriptionAttributes: getSubscriptionAttributes,
  GetTopicAttributes: getTopicAttributes,
  ListSubscriptions: listSubscriptions,
  ListSubscriptionsByTopic: listSubscriptionsByTopic,
  ListTopics: listTopics,
  Publish: publish,
  PublishBatch: publishBatch,
  SetSubscriptionAttributes: setSubscriptionAttributes,
  SetTopicAttributes: setTopicAttributes,
  Subscribe: subscribe,
  Unsubscribe: unsubscribe,
};
