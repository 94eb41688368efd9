import { parseArn } from '../../../policy/arn';
import { FIFO_PROTOCOLS, PROTOCOLS, type Protocol } from '../../../policy/outcome/protocol';
import { MAIL_ADDRESS, PHONE_NUMBER } from '../../../policy/text-formats';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { accountOf } from '../../kernel/caller';
import { isFifoName } from '../../kernel/messaging';
import { setSubscriptionAttributes, subscriptionAttributes } from '../attributes/subscription-attributes';
import { ControlMessageDelivery, mustConfirm } from '../delivery/control-message-delivery';
import type { SnsInternals } from '../directory';
import { invalidParameter, refuseAttributes } from '../errors';
import { GroupSequencer } from '../fifo';
import { newToken, renewed, Subscription, type Topic } from '../topic';
import { urlCredentials } from '../transports/http-authentication';
import { type SnsAction, topicAt, topicNamed } from './sns-action';

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

function enter(internals: SnsInternals, subscription: Subscription): void {
  const { arn, topic, protocol, endpoint } = subscription;
  if (topic.fifo && topic.subscriptions.length >= MAX_FIFO_SUBSCRIPTIONS) {
    const text = `A FIFO topic can have ${MAX_FIFO_SUBSCRIPTIONS} subscriptions`;
    throw new AwsError('SubscriptionLimitExceeded', text, 403);
  }
  subscription.pending = mustConfirm(protocol);
  subscription.confirmationWasAuthenticated = !subscription.pending;
  internals.directory.addSubscription(subscription);
  internals.context.trace.record({
    type: 'sns.subscribed',
    topicArn: topic.arn,
    subscriptionArn: arn,
    protocol,
    endpoint,
    pending: subscription.pending,
  });
  if (subscription.pending) expireUnconfirmed(internals, subscription);
}

/** A subscription nobody confirms is deleted when its token is no longer good. */
function expireUnconfirmed(internals: SnsInternals, subscription: Subscription): void {
  const { timeline, trace } = internals.context;
  timeline.inBackground(subscription.token.expiresAtMs, () => {
    if (!subscription.pending || subscription.deleted) return;
    if (subscription.token.expiresAtMs > timeline.nowMs) {
      expireUnconfirmed(internals, subscription);
      return;
    }
    internals.directory.removeSubscription(subscription);
    const topicArn = subscription.topic.arn;
    trace.record({ type: 'sns.unsubscribed', topicArn, subscriptionArn: subscription.arn });
  });
}

/**
 * An endpoint that waits to be confirmed is asked each time somebody subscribes it, with a token that is good for two days
 * from then. SNS does not wait for what it answers: AWS may refuse a subscription whose endpoint it cannot reach at once,
 * and does not say when; that ours is made and asked about later is our choice.
 */
function askToConfirm({ services, context }: SnsInternals, subscription: Subscription): void {
  const { protocol, pending } = subscription;
  if (!pending || !mustConfirm(protocol)) return;
  subscription.token = renewed(subscription.token, context.timeline.nowMs);
  new ControlMessageDelivery(services, subscription, protocol, 'SubscriptionConfirmation').start();
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const subscribe: SnsAction<'Subscribe'> = {
  permission: 'sns:Subscribe',
  resourceOf: (internals, { TopicArn }) => topicAt(internals, TopicArn),
  contextOf: ({ Protocol = '', Endpoint = '' }) => ({ 'sns:Protocol': Protocol, 'sns:Endpoint': Endpoint }),
  run: (
    internals,
    { caller, input: { TopicArn, Protocol, Endpoint = '', Attributes = {}, ReturnSubscriptionArn } },
  ) => {
    const { context } = internals;
    const topic = topicNamed(internals, TopicArn);
    const protocol = protocolNamed(Protocol, topic);
    checkEndpoint(protocol, Endpoint, topic);
    const wanted = new Subscription({
      arn: `${topic.arn}:${context.random.uuid()}`,
      topic,
      protocol,
      endpoint: Endpoint,
      owner: accountOf(caller) ?? topic.account,
      token: newToken(context.random, context.timeline.nowMs),
      ...(topic.fifo && isFifoName(Endpoint) && { groupSequencer: new GroupSequencer(context.timeline) }),
    });
    setSubscriptionAttributes(wanted, Attributes, refuseAttributes);
    if (protocol === 'firehose' && wanted.subscriptionRoleArn === undefined) {
      throw invalidParameter('Attributes Reason: SubscriptionRoleArn is required for the firehose protocol');
    }
    const existing = topic.subscriptions.find(other => other.protocol === protocol && other.endpoint === Endpoint);
    if (existing) subscribeAgain(existing, wanted, Object.keys(Attributes));
    else enter(internals, wanted);
    askToConfirm(internals, existing ?? wanted);
    const { arn, pending } = existing ?? wanted;
    return { SubscriptionArn: pending && !ReturnSubscriptionArn ? 'pending confirmation' : arn };
  },
};

/** Makes the error for an endpoint that is none of the protocol, if it is none. */
type EndpointRule = (endpoint: string, topic: Topic) => AwsError | undefined;

/** SNS reaches endpoints of other accounts and Regions; a simulation is one account in one Region. */
function elsewhere(endpoint: string, noun: string, topic: Topic): AwsError | undefined {
  const [there, here] = [parseArn(endpoint), parseArn(topic.arn)];
  if (there?.account !== here?.account)
    return notImplemented(`a subscription of another account's ${noun} (${endpoint})`);
  if (there?.region !== here?.region) return notImplemented(`a subscription of another Region's ${noun} (${endpoint})`);
  return undefined;
}

/** @param kind what the resource of the ARN begins with */
function arnOf(service: string, kind: string, noun: string, problem: string): EndpointRule {
  return (endpoint, topic) => {
    const arn = parseArn(endpoint);
    const isOne = arn?.service === service && arn.resource.startsWith(kind);
    return isOne ? elsewhere(endpoint, noun, topic) : invalidParameter(problem);
  };
}

const emailRule: EndpointRule = endpoint =>
  MAIL_ADDRESS.test(endpoint) ? undefined : invalidParameter('Email address');

/** Whether what stands before the `@` can be read as credentials: a bare `%` escapes nothing. */
function hasReadableCredentials(endpoint: string): boolean {
  try {
    urlCredentials(endpoint);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}

function urlRule(protocol: 'http' | 'https'): EndpointRule {
  return endpoint => {
    if (!endpoint.startsWith(`${protocol}://`)) return invalidParameter('Endpoint must match the specified protocol');
    if (!URL.canParse(endpoint) || !hasReadableCredentials(endpoint)) return invalidParameter('Endpoint');
    return new URL(endpoint).hostname.includes('_') ? invalidParameter('Unreachable Endpoint') : undefined;
  };
}

const queueArnRule = arnOf('sqs', '', 'queue', 'SQS endpoint ARN');

const queueRule: EndpointRule = (endpoint, topic) => {
  if (parseArn(endpoint)?.service === 'sqs' && isFifoName(endpoint) && !topic.fifo) {
    const reason = 'FIFO SQS Queues can not be subscribed to standard SNS topics';
    return invalidParameter(`Invalid parameter: Endpoint Reason: ${reason}`);
  }
  return queueArnRule(endpoint, topic);
};

/** As recorded, and without the words SNS puts before most. */
const smsRule: EndpointRule = endpoint =>
  PHONE_NUMBER.test(endpoint) ? undefined : new AwsError('InvalidParameter', `Invalid SMS endpoint: ${endpoint}`);

const RULES: Readonly<Record<Protocol, EndpointRule>> = {
  application: arnOf('sns', 'endpoint/', 'device', 'ApplicationEndpoint ARN'),
  email: emailRule,
  'email-json': emailRule,
  firehose: arnOf('firehose', 'deliverystream/', 'delivery stream', 'Firehose endpoint ARN'),
  http: urlRule('http'),
  https: urlRule('https'),
  lambda: arnOf('lambda', 'function:', 'function', 'Lambda endpoint ARN'),
  sms: smsRule,
  sqs: queueRule,
};

/** @throws AwsError when SNS has no such protocol, or the topic does not deliver by it */
export function protocolNamed(name: string | undefined, { fifo }: Topic): Protocol {
  const protocol = PROTOCOLS.find(known => known === name);
  if (!protocol) throw invalidParameter(`Amazon SNS does not support this protocol string: ${name ?? ''}`);
  if (fifo && !FIFO_PROTOCOLS.includes(protocol)) throw invalidParameter(`Invalid protocol type: ${protocol}`);
  return protocol;
}

/** @throws AwsError when the protocol has no such endpoints, or the topic may not have this one */
export function checkEndpoint(protocol: Protocol, endpoint: string, topic: Topic): void {
  const refusal = RULES[protocol](endpoint, topic);
  if (refusal) throw refusal;
}
