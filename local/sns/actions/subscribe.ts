import { MAIL_ADDRESS, PHONE_NUMBER } from '../../../policy/address-formats';
import { parseArn } from '../../../policy/arn';
import { isUnsupportedBetweenRegions } from '../../../policy/aws-limits';
import { FIFO_PROTOCOLS, PROTOCOLS, type Protocol } from '../../../policy/outcome/protocol';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { accountOf } from '../../kernel/caller';
import { isFifoName } from '../../kernel/messaging';
import { setSubscriptionAttributes, subscriptionAttributes } from '../attributes/subscription-attributes';
import { mustConfirm, sendControlMessage } from '../delivery/control-message-delivery';
import { invalidParameter, refuseAttributes } from '../errors';
import type { SnsState } from '../sns-state';
import { GroupSequencer } from '../topic/fifo';
import { newToken, renewed, Subscription, type Topic } from '../topic/topic-and-subscription';
import { urlCredentials } from '../transports/http-authentication';
import { type SnsAction, topicAt, topicNamed } from './sns-action';

/**
 * Maximum number of subscriptions of a FIFO topic. **Assumption SNS-29:** AWS does not publish this text. AWS publishes
 * only the error code.
 */
const MAX_FIFO_SUBSCRIPTIONS = 100;

export const subscribe: SnsAction<'Subscribe'> = {
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  contextOf: ({ Protocol = '', Endpoint = '' }) => ({ 'sns:Protocol': Protocol, 'sns:Endpoint': Endpoint }),
  run: (state, { caller, input: { TopicArn, Protocol, Endpoint = '', Attributes = {}, ReturnSubscriptionArn } }) => {
    const { context } = state;
    const topic = topicNamed(state, TopicArn);
    const protocol = protocolNamed(Protocol, topic);
    checkEndpoint(state, protocol, Endpoint, topic);
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
    else enter(state, wanted);
    askToConfirm(state, existing ?? wanted);
    const { arn, pending } = existing ?? wanted;
    return { SubscriptionArn: pending && !ReturnSubscriptionArn ? 'pending confirmation' : arn };
  },
};

/**
 * Subscribing an endpoint again returns the existing subscription if the requested attributes are the same.
 * **Assumption SNS-30:** Subscribing again also reconnects a queue that was deleted and created again under the same
 * name.
 */
function subscribeAgain(existing: Subscription, wanted: Subscription, names: readonly string[]): void {
  const [has, wants] = [subscriptionAttributes(existing), subscriptionAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Subscription already exists with different attributes');
  }
  existing.queueWasDeleted = false;
}

function enter(state: SnsState, subscription: Subscription): void {
  const { arn, topic, protocol, endpoint } = subscription;
  if (topic.fifo && topic.subscriptions.length >= MAX_FIFO_SUBSCRIPTIONS) {
    const text = `A FIFO topic can have ${MAX_FIFO_SUBSCRIPTIONS} subscriptions`;
    throw new AwsError('SubscriptionLimitExceeded', text, 403);
  }
  subscription.pending = mustConfirm(protocol) || isOfAnotherAccount(subscription);
  subscription.confirmationWasAuthenticated = !subscription.pending;
  state.directory.addSubscription(subscription);
  state.context.trace.record({
    type: 'sns.subscribed',
    topicArn: topic.arn,
    subscriptionArn: arn,
    protocol,
    endpoint,
    pending: subscription.pending,
  });
  if (subscription.pending) expireUnconfirmed(state, subscription);
}

/** Deletes a subscription that nothing has confirmed before its token expires. */
function expireUnconfirmed(state: SnsState, subscription: Subscription): void {
  const { timeline, trace } = state.context;
  timeline.inBackground(subscription.token.expiresAtMs, () => {
    if (!subscription.pending || subscription.deleted) return;
    if (subscription.token.expiresAtMs > timeline.nowMs) {
      expireUnconfirmed(state, subscription);
      return;
    }
    state.directory.removeSubscription(subscription);
    const topicArn = subscription.topic.arn;
    trace.record({ type: 'sns.unsubscribed', topicArn, subscriptionArn: subscription.arn });
  });
}

/**
 * Sends a subscription confirmation for each `Subscribe` call while the subscription is pending, with a token that is
 * valid for two more days.
 * **Assumption SNS-31:** The call succeeds before the endpoint answers. AWS may refuse a subscription at once when it
 * cannot reach the endpoint, but does not say when.
 */
function askToConfirm({ services, context }: SnsState, subscription: Subscription): void {
  const { protocol, pending } = subscription;
  if (!pending || !(mustConfirm(protocol) || protocol === 'sqs')) return;
  subscription.token = renewed(subscription.token, context.timeline.nowMs);
  sendControlMessage(services, subscription, protocol, 'SubscriptionConfirmation');
}

/** Returns the error for an endpoint that is invalid for the protocol, or undefined. */
type EndpointRule = (endpoint: string, topic: Topic, state: SnsState) => AwsError | undefined;

/** Protocols whose endpoints may belong to another account or Region. */
const BETWEEN_PLACES: readonly string[] = ['sqs', 'lambda'];

/**
 * **Assumption SNS-53:** SNS refuses to subscribe an endpoint to which it cannot deliver, because its Region is opt-in.
 * AWS documents only that such deliveries are not supported.
 */
function elsewhere(endpoint: string, noun: string, topic: Topic): AwsError | undefined {
  const [there, here] = [parseArn(endpoint), parseArn(topic.arn)];
  if (!there || !here || (there.account === here.account && there.region === here.region)) return undefined;
  const other = there.account === here.account ? 'Region' : 'account';
  if (!BETWEEN_PLACES.includes(there.service))
    return notImplemented(`a subscription of another ${other}'s ${noun} (${endpoint})`);
  if (!isUnsupportedBetweenRegions(here.region, there.region, there.service)) return undefined;
  return invalidParameter(`Endpoint Reason: no delivery from ${here.region} to ${there.region} (${endpoint})`);
}

/**
 * Whether the owner of a queue or function must confirm that another account subscribed it.
 * **Assumption SNS-52:** SNS asks a queue, with a message. It asks no function, which could not answer.
 * @see https://docs.aws.amazon.com/sns/latest/dg/SendMessageToSQS.cross.account.html
 */
function isOfAnotherAccount({ protocol, endpoint, owner }: Subscription): boolean {
  return BETWEEN_PLACES.includes(protocol) && parseArn(endpoint)?.account !== owner;
}

/** @param kind prefix of the ARN's resource part */
function arnOf(service: string, kind: string, noun: string, problem: string): EndpointRule {
  return (endpoint, topic) => {
    const arn = parseArn(endpoint);
    const isOne = arn?.service === service && arn.resource.startsWith(kind);
    return isOne ? elsewhere(endpoint, noun, topic) : invalidParameter(problem);
  };
}

const emailRule: EndpointRule = endpoint =>
  MAIL_ADDRESS.test(endpoint) ? undefined : invalidParameter('Email address');

/** Whether the part before the `@` can be decoded as credentials. A bare `%` is not an escape. */
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

const queueRule: EndpointRule = (endpoint, topic, state) => {
  if (parseArn(endpoint)?.service === 'sqs' && isFifoName(endpoint) && !topic.fifo) {
    const reason = 'FIFO SQS Queues can not be subscribed to standard SNS topics';
    return invalidParameter(`Invalid parameter: Endpoint Reason: ${reason}`);
  }
  return queueArnRule(endpoint, topic, state);
};

const deviceArnRule = arnOf('sns', 'endpoint/', 'device', 'ApplicationEndpoint ARN');

/** Recorded on AWS: the text has no blank before the ARN. */
const deviceRule: EndpointRule = (endpoint, topic, state) => {
  const refusal = deviceArnRule(endpoint, topic, state);
  if (refusal || state.services.platforms.findEndpoint(endpoint)) return refusal;
  return invalidParameter(`Endpoint Reason: Endpoint does not exist for endpoint arn${endpoint}`);
};

/** Recorded: this text comes without the usual prefix. */
const smsRule: EndpointRule = endpoint =>
  PHONE_NUMBER.test(endpoint) ? undefined : new AwsError('InvalidParameter', `Invalid SMS endpoint: ${endpoint}`);

const RULES: Readonly<Record<Protocol, EndpointRule>> = {
  application: deviceRule,
  email: emailRule,
  'email-json': emailRule,
  firehose: arnOf('firehose', 'deliverystream/', 'delivery stream', 'Firehose endpoint ARN'),
  http: urlRule('http'),
  https: urlRule('https'),
  lambda: arnOf('lambda', 'function:', 'function', 'Lambda endpoint ARN'),
  sms: smsRule,
  sqs: queueRule,
};

function protocolNamed(name: string | undefined, { fifo }: Topic): Protocol {
  const protocol = PROTOCOLS.find(known => known === name);
  if (!protocol) throw invalidParameter(`Amazon SNS does not support this protocol string: ${name ?? ''}`);
  if (fifo && !FIFO_PROTOCOLS.includes(protocol)) throw invalidParameter(`Invalid protocol type: ${protocol}`);
  return protocol;
}

function checkEndpoint(state: SnsState, protocol: Protocol, endpoint: string, topic: Topic): void {
  const refusal = RULES[protocol](endpoint, topic, state);
  if (refusal) throw refusal;
}
