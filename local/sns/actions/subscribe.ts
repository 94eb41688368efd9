import { accountOf } from '../../kernel/caller';
import { setSubscriptionAttributes, subscriptionAttributes } from '../attributes/subscription-attributes';
import { ConfirmationErrand, mustConfirm } from '../delivery/confirmation-errand';
import { GroupLanes } from '../delivery/group-lanes';
import { invalidParameter, refuseAttributes } from '../errors';
import { isFifoName } from '../fifo';
import type { SnsWorld } from '../sns-world';
import { Subscription } from '../subscription';
import { checkEndpoint, protocolNamed } from './endpoint-rules';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

const TOKEN_LENGTH = 288;

/** Whoever subscribes an endpoint again gets the subscription that is there, if it is as they say. */
function checkSame(existing: Subscription, wanted: Subscription, names: readonly string[]): void {
  const [has, wants] = [subscriptionAttributes(existing), subscriptionAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Subscription already exists with different attributes');
  }
}

function enter(world: SnsWorld, subscription: Subscription): void {
  const { arn, topic, protocol, endpoint } = subscription;
  subscription.pending = mustConfirm(protocol);
  subscription.confirmationWasAuthenticated = !subscription.pending;
  world.directory.addSubscription(subscription);
  world.context.trace.record({
    type: 'sns.subscribed',
    topicArn: topic.arn,
    subscriptionArn: arn,
    protocol,
    endpoint,
    pending: subscription.pending,
  });
}

/** An endpoint that waits to be confirmed is asked each time somebody subscribes it. */
function askToConfirm({ dispatch }: SnsWorld, subscription: Subscription): void {
  const { protocol, pending } = subscription;
  if (pending && mustConfirm(protocol)) new ConfirmationErrand(dispatch, subscription, protocol).start();
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const subscribe: SnsAction<'Subscribe'> = {
  permission: 'sns:Subscribe',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { caller, input: { TopicArn, Protocol, Endpoint = '', Attributes = {}, ReturnSubscriptionArn } }) => {
    const { context } = world;
    const topic = topicNamed(world, TopicArn);
    const protocol = protocolNamed(Protocol, topic);
    checkEndpoint(protocol, Endpoint, topic);
    const wanted = new Subscription({
      arn: `${topic.arn}:${context.random.uuid()}`,
      topic,
      protocol,
      endpoint: Endpoint,
      owner: accountOf(caller) ?? topic.account,
      token: context.random.hex(TOKEN_LENGTH),
      ...(topic.fifo && isFifoName(Endpoint) && { lanes: new GroupLanes(context.timeline) }),
    });
    setSubscriptionAttributes(wanted, Attributes, refuseAttributes);
    if (protocol === 'firehose' && wanted.subscriptionRoleArn === undefined) {
      throw invalidParameter('Attributes Reason: SubscriptionRoleArn is required for the firehose protocol');
    }
    const existing = topic.subscriptions.find(other => other.protocol === protocol && other.endpoint === Endpoint);
    if (existing) checkSame(existing, wanted, Object.keys(Attributes));
    else enter(world, wanted);
    askToConfirm(world, existing ?? wanted);
    const { arn, pending } = existing ?? wanted;
    return { SubscriptionArn: pending && !ReturnSubscriptionArn ? 'pending confirmation' : arn };
  },
};
