import { type IResource, Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  CfnSubscription,
  type ITopic,
  LoggingProtocol,
  type Subscription,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import type { DeliveryPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import type { Problem } from '../../policy/problem';
import type { ArnKind } from '../shared/addresses';
import type { Warning } from '../shared/checks';

/** A subscriber of a topic: everything that depends on the kind of delivery. */
export interface Recipient {
  readonly protocol: SubscriptionProtocol;
  readonly endpoint: string;
  /** The parameter that names the subscriber, and what an error shows of it. */
  readonly named: { readonly property: string; readonly value: string };
  /** The queue, function or stream. @default - none that is a construct */
  readonly consumer?: IResource;
  /** The consumer, if it is a queue. @default - it is not a queue, or unknown */
  readonly queue?: IQueue;
  /** The consumer, if it is a function. @default - it is not a function, or unknown */
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
  /** Grants the topic access. Returns what the subscription must depend on. @default - it needs none */
  readonly grantAccess?: (scope: Construct) => IDependable[];
}

/** How SNS treats all deliveries of one protocol. */
interface ProtocolFacts {
  /** The protocol's name for delivery-status logging. @default - SNS cannot log it */
  readonly logging?: LoggingProtocol;
  /** The kind of ARN that an endpoint must have. @default - endpoints have no ARN */
  readonly arn?: ArnKind;
  /** Whether SNS delivers to other Regions. @default false */
  readonly crossRegion?: boolean;
  /** Whether SNS delivers from a default Region to an opt-in Region. @default false */
  readonly toOptIn?: boolean;
}

/**
 * All protocols.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/lambda-prereq.html
 */
const PROTOCOLS: Readonly<Record<SubscriptionProtocol, ProtocolFacts>> = {
  [SubscriptionProtocol.SQS]: {
    logging: LoggingProtocol.SQS,
    arn: { service: 'sqs', noun: 'an SQS queue' },
    crossRegion: true,
    toOptIn: true,
  },
  [SubscriptionProtocol.LAMBDA]: {
    logging: LoggingProtocol.LAMBDA,
    arn: { service: 'lambda', resource: 'function', noun: 'a Lambda function' },
    crossRegion: true,
  },
  [SubscriptionProtocol.HTTP]: { logging: LoggingProtocol.HTTP },
  [SubscriptionProtocol.HTTPS]: { logging: LoggingProtocol.HTTP },
  [SubscriptionProtocol.FIREHOSE]: {
    logging: LoggingProtocol.FIREHOSE,
    arn: { service: 'firehose', resource: 'deliverystream', noun: 'a Firehose stream' },
  },
  [SubscriptionProtocol.APPLICATION]: {
    logging: LoggingProtocol.APPLICATION,
    arn: { service: 'sns', resource: 'endpoint', noun: 'the ARN of a platform endpoint' },
  },
  [SubscriptionProtocol.EMAIL]: {},
  [SubscriptionProtocol.EMAIL_JSON]: {},
  [SubscriptionProtocol.SMS]: {},
};

/** The facts of a protocol, by its name in templates. */
export function protocolFacts(protocol: string): ProtocolFacts {
  return new Map<string, ProtocolFacts>(Object.entries(PROTOCOLS)).get(protocol) ?? {};
}

/** The parent construct and the id of a delivery. */
export interface DeliveryPlace {
  readonly parent: Construct;
  readonly id: string;
}

/**
 * The place of a delivery: among the deliveries of its topic, or next to its consumer if that is in another stack.
 * Otherwise the two stacks would depend on each other.
 */
export function placeOf(
  topic: ITopic & Construct,
  deliveries: Construct,
  id: string,
  consumer: IResource | undefined,
): DeliveryPlace {
  if (!consumer || consumer.stack === topic.stack || !(consumer instanceof Construct))
    return { parent: deliveries, id };
  return { parent: consumer, id: `${Names.nodeUniqueId(topic.node)}${id}` };
}

/** The resource of a subscription. */
export function resourceOf(subscription: Subscription): CfnSubscription {
  const resource = subscription.node.defaultChild;
  if (resource instanceof CfnSubscription) return resource;
  throw new Error(`${subscription.node.path} has no AWS::SNS::Subscription`);
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

/** Whether a topic is known to be in another account or Region than the stack of `scope`. */
export function isElsewhere(scope: Construct, { env }: ITopic): boolean {
  const { account, region } = Stack.of(scope);
  return differs(account, env.account) || differs(region, env.region);
}

/**
 * The topic's key for a queue created below `scope`; undefined in another account or Region, where SNS could send
 * messages but no consumer could decrypt them.
 */
export function keyFor(scope: Construct, topic: ITopic, key: IKey | undefined): IKey | undefined {
  return isElsewhere(scope, topic) ? undefined : key;
}

/** The Region of a consumer; that of the stack if it is not a construct of this app. */
export function consumerRegion(scope: Construct, consumer: IResource | undefined): string {
  return consumer?.env.region ?? Stack.of(scope).region;
}

/** The Region that a subscription must name: that of the topic, if the consumer is in another one. */
export function regionOf(scope: Construct, topic: ITopic, consumer: IResource | undefined): string | undefined {
  return differs(topic.env.region, consumerRegion(scope, consumer)) ? topic.env.region : undefined;
}
