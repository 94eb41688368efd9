import { AwsError } from '../../kernel/aws-error';
import { accountOf } from '../../kernel/caller';
import { isFifoName } from '../../kernel/fifo-name';
import { setSubscriptionAttributes, subscriptionAttributes } from '../attributes/subscription-attributes';
import { newToken, renewed } from '../confirmation-token';
import { ControlMessageDelivery, mustConfirm } from '../delivery/control-errand';
import { GroupLanes } from '../delivery/group-lanes';
import { invalidParameter, refuseAttributes } from '../errors';
import type { SnsInternals } from '../sns-world';
import { Subscription } from '../subscription';
import { checkEndpoint, protocolNamed } from './endpoint-rules';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** A quota of AWS's, of which only the code is published: the words are ours. */
const MAX_FIFO_SUBSCRIPTIONS = 100;

/**
 * Whoever subscribes an endpoint again gets the subscription that is there, if it is as they say. That this is enough for a
 * queue created under the name of one that was deleted is our choice.
 */
function subscribeAgain(existing: Subscription, wanted: Subscription, names: readonly string[]): void {
  const [has, wants] = [subscriptionAttributes(existing), subscriptionAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Subscription already exists with different attributes');
  }
  existing.queueWasDeleted = false;
}

function enter(world: SnsInternals, subscription: Subscription): void {
  const { arn, topic, protocol, endpoint } = subscription;
  if (topic.fifo && topic.subscriptions.length >= MAX_FIFO_SUBSCRIPTIONS) {
    const text = `A FIFO topic can have ${MAX_FIFO_SUBSCRIPTIONS} subscriptions`;
    throw new AwsError('SubscriptionLimitExceeded', text, 403);
  }
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
  if (subscription.pending) expireUnconfirmed(world, subscription);
}

/** A subscription nobody confirms is deleted when its token is no longer good. */
function expireUnconfirmed(world: SnsInternals, subscription: Subscription): void {
  const { timeline, trace } = world.context;
  timeline.inBackground(subscription.token.expiresAtMs, () => {
    if (!subscription.pending || subscription.deleted) return;
    if (subscription.token.expiresAtMs > timeline.nowMs) {
      expireUnconfirmed(world, subscription);
      return;
    }
    world.directory.removeSubscription(subscription);
    const topicArn = subscription.topic.arn;
    trace.record({ type: 'sns.unsubscribed', topicArn, subscriptionArn: subscription.arn });
  });
}

/**
 * An endpoint that waits to be confirmed is asked each time somebody subscribes it, with a token that is good for two days
 * from then. SNS does not wait for what it answers: AWS may refuse a subscription whose endpoint it cannot reach at once,
 * and does not say when; that ours is made and asked about later is our choice.
 */
function askToConfirm({ dispatch, context }: SnsInternals, subscription: Subscription): void {
  const { protocol, pending } = subscription;
  if (!pending || !mustConfirm(protocol)) return;
  subscription.token = renewed(subscription.token, context.timeline.nowMs);
  new ControlMessageDelivery(dispatch, subscription, protocol, 'SubscriptionConfirmation').start();
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const subscribe: SnsAction<'Subscribe'> = {
  permission: 'sns:Subscribe',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  contextOf: ({ Protocol = '', Endpoint = '' }) => ({ 'sns:Protocol': Protocol, 'sns:Endpoint': Endpoint }),
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
      token: newToken(context.random, context.timeline.nowMs),
      ...(topic.fifo && isFifoName(Endpoint) && { lanes: new GroupLanes(context.timeline) }),
    });
    setSubscriptionAttributes(wanted, Attributes, refuseAttributes);
    if (protocol === 'firehose' && wanted.subscriptionRoleArn === undefined) {
      throw invalidParameter('Attributes Reason: SubscriptionRoleArn is required for the firehose protocol');
    }
    const existing = topic.subscriptions.find(other => other.protocol === protocol && other.endpoint === Endpoint);
    if (existing) subscribeAgain(existing, wanted, Object.keys(Attributes));
    else enter(world, wanted);
    askToConfirm(world, existing ?? wanted);
    const { arn, pending } = existing ?? wanted;
    return { SubscriptionArn: pending && !ReturnSubscriptionArn ? 'pending confirmation' : arn };
  },
};
