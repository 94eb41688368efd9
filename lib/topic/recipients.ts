import { type IResource, Token } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, SubscriptionProtocol, type TopicSubscriptionConfig } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { isPublicHost } from '../../policy/address-guard';
import type { DeliveryPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import type { Problem } from '../../policy/problem';
import { shownUrl } from '../../policy/web-url';
import { managedKeyProblems } from '../queue/queue-checks';
import { addStreamRole } from '../shared/access/grants';
import { allowTopic, allowTopicToInvoke, warnOfUndelivered } from '../shared/access/resource-policies';
import { isLocalNumber, mailAddressProblems, phoneNumberProblems, readEndpoint } from '../shared/addresses';

import { absentProblems, type Warning } from '../shared/checks';
import { deliveryProblems, deliverySettings } from './delivery-policy-settings';
import type { EmailDeliveryOptions, EndpointDeliveryOptions } from './topic-delivery';

/** A subscriber of a topic: everything that depends on the kind of delivery. */
export interface Recipient {
  readonly protocol: SubscriptionProtocol;
  readonly endpoint: string;
  /** The parameter of `deliverTo…` that names the subscriber, and the value that an error may show. */
  readonly named: { readonly property: string; readonly value: string };
  /** The queue, function or stream. @default - none that is a construct */
  readonly consumer?: IResource;
  /** The consumer, if it is a queue. @default - the recipient is not a queue, or is unknown */
  readonly queue?: IQueue;
  /** The consumer, if it is a function. @default - the recipient is not a function, or is unknown */
  readonly handler?: IFunction;
  /** Whether its dead-letter queue must be FIFO. @default false */
  readonly fifo?: boolean;
  /** The retry policy of the delivery. @default - that of the topic, or SNS's default */
  readonly deliveryPolicy?: DeliveryPolicySettings;
  /** What SNS would reject about this kind of subscriber. */
  readonly problems: readonly Problem[];
  /** Warnings about settings that are legal, but may prevent delivery. @default - none */
  readonly warnings?: readonly Warning[];
  /** Creates the role with which SNS writes. @default - SNS uses its service principal */
  readonly role?: (scope: Construct) => IRole;
  /** Grants the topic access. Returns what the subscription must depend on. @default - the topic needs no grant */
  readonly grantAccess?: (scope: Construct) => IDependable[];
}

/** What SNS rejects about a queue as subscriber. @see https://docs.aws.amazon.com/sns/latest/dg/sns-fifo-topics.html */
function subscriberQueueProblems(queue: IQueue, topic: ITopic): Problem[] {
  const fifoOnStandard = queue.fifo && !topic.fifo;
  return [
    ...(fifoOnStandard
      ? [{ property: 'queue', rule: 'must not be FIFO, because the topic is standard', value: queue.node.path }]
      : []),
    ...managedKeyProblems('queue.encryption', queue, 'SNS'),
  ];
}

export function queueRecipient(topic: ITopic, queue: IQueue): Recipient {
  return {
    protocol: SubscriptionProtocol.SQS,
    endpoint: queue.queueArn,
    named: { property: 'queue', value: queue.node.path },
    consumer: queue,
    queue,
    fifo: topic.fifo && queue.fifo,
    problems: subscriberQueueProblems(queue, topic),
    grantAccess: scope => allowTopic(scope, queue, topic, warnOfUndelivered(scope, queue)),
  };
}

export function functionRecipient(topic: ITopic, handler: IFunction): Recipient {
  return {
    protocol: SubscriptionProtocol.LAMBDA,
    endpoint: handler.functionArn,
    named: { property: 'handler', value: handler.node.path },
    consumer: handler,
    handler,
    problems: [],
    grantAccess: scope => allowTopicToInvoke(scope, handler, topic),
  };
}

/** SNS delivers over the internet, and delivers nothing to a subscription that was not confirmed. */
const PRIVATE_ENDPOINT: Warning = {
  id: 'endpoint-unreachable',
  message: 'SNS cannot reach a private address, so the subscription is never confirmed: SNS discards its messages.',
};

function isPrivateUrl(url: string): boolean {
  return !Token.isUnresolved(url) && URL.canParse(url) && !isPublicHost(new URL(url).hostname);
}

/** Options that must be absent if a relay takes over after SNS's retries. */
function relayConflictProblems(options: EndpointDeliveryOptions): Problem[] {
  const { retryWith, deadLetterQueue, alarmActions, rawMessageDelivery } = options;
  if (!retryWith) return [];
  const reason = 'where retryWith is present';
  return [
    ...absentProblems('deadLetterQueue', deadLetterQueue?.node.path, reason),
    ...absentProblems('alarmActions', alarmActions?.map(String), reason),
    ...absentProblems('rawMessageDelivery', rawMessageDelivery || undefined, `${reason}: set it on the relay`),
  ];
}

export function endpointRecipient(url: string, options: EndpointDeliveryOptions): Recipient {
  const { protocol, problems } = readEndpoint(url, options.protocol);
  const deliveryPolicy = options.deliveryPolicy && deliverySettings(options.deliveryPolicy);
  return {
    protocol,
    endpoint: url,
    named: { property: 'url', value: Token.isUnresolved(url) ? protocol : shownUrl(url) },
    ...(deliveryPolicy && { deliveryPolicy }),
    warnings: isPrivateUrl(url) ? [PRIVATE_ENDPOINT] : [],
    problems: [
      ...problems,
      ...(deliveryPolicy ? deliveryProblems(deliveryPolicy, options.rawMessageDelivery) : []),
      ...relayConflictProblems(options),
    ],
  };
}

export function streamRecipient(stream: IDeliveryStream): Recipient {
  return {
    protocol: SubscriptionProtocol.FIREHOSE,
    endpoint: stream.deliveryStreamArn,
    named: { property: 'stream', value: stream.node.path },
    consumer: stream,
    problems: [],
    role: scope => addStreamRole(scope, stream),
  };
}

export function mailboxRecipient(address: string, { json = false }: EmailDeliveryOptions): Recipient {
  return {
    protocol: json ? SubscriptionProtocol.EMAIL_JSON : SubscriptionProtocol.EMAIL,
    endpoint: address,
    named: { property: 'address', value: address },
    problems: mailAddressProblems('address', address),
  };
}

/** SNS accepts a number without its country code and guesses the country. */
const LOCAL_NUMBER: Warning = {
  id: 'phone-number-without-country-code',
  message: 'The phone number has no + and country code, as in +15550100, so a text message may not be delivered.',
};

export function phoneRecipient(phoneNumber: string): Recipient {
  return {
    protocol: SubscriptionProtocol.SMS,
    endpoint: phoneNumber,
    named: { property: 'phoneNumber', value: phoneNumber },
    problems: phoneNumberProblems('phoneNumber', phoneNumber),
    warnings: isLocalNumber(phoneNumber) ? [LOCAL_NUMBER] : [],
  };
}

export function deviceRecipient(endpointArn: string): Recipient {
  return {
    protocol: SubscriptionProtocol.APPLICATION,
    endpoint: endpointArn,
    named: { property: 'endpointArn', value: endpointArn },
    problems: [],
  };
}

/** A subscriber without a known construct. The ARN of a queue shows whether it is FIFO. */
function unknownRecipient(topic: ITopic, { protocol, endpoint }: TopicSubscriptionConfig): Recipient {
  const isFifo = protocol === SubscriptionProtocol.SQS && !Token.isUnresolved(endpoint) && endpoint.endsWith('.fifo');
  const named = { property: 'endpoint', value: endpoint };
  const rule = 'must not be a FIFO queue, because the topic is standard';
  return {
    protocol,
    endpoint,
    named,
    fifo: topic.fifo && isFifo,
    problems: isFifo && !topic.fifo ? [{ ...named, rule }] : [],
  };
}

/** The subscriber of a plain subscription, from its construct if there is one, otherwise from its endpoint. */
export function plainRecipient(topic: ITopic, config: TopicSubscriptionConfig): Recipient {
  const { protocol, endpoint, subscriberScope = {} } = config;
  const consumer: Partial<IQueue & IFunction & IDeliveryStream> = subscriberScope;
  switch (protocol) {
    case SubscriptionProtocol.HTTP:
    case SubscriptionProtocol.HTTPS:
      return endpointRecipient(endpoint, config);
    case SubscriptionProtocol.EMAIL:
    case SubscriptionProtocol.EMAIL_JSON:
      return mailboxRecipient(endpoint, { json: protocol === SubscriptionProtocol.EMAIL_JSON });
    case SubscriptionProtocol.SMS:
      return phoneRecipient(endpoint);
    case SubscriptionProtocol.APPLICATION:
      return deviceRecipient(endpoint);
    default:
      if (consumer.queueArn === endpoint) return queueRecipient(topic, consumer as IQueue);
      if (consumer.functionArn === endpoint) return functionRecipient(topic, consumer as IFunction);
      if (consumer.deliveryStreamArn === endpoint) return streamRecipient(consumer as IDeliveryStream);
      return unknownRecipient(topic, config);
  }
}
