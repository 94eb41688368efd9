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

/** Whom a topic delivers to: all that is particular to one kind of delivery. */
export interface Recipient {
  readonly protocol: SubscriptionProtocol;
  readonly endpoint: string;
  /** The parameter the user named it by, and what an error shows of it. */
  readonly named: { readonly property: string; readonly value: string };
  /** The queue, function or stream delivered to. @default - none of ours */
  readonly consumer?: IResource;
  /** The consumer, where it is a queue. @default - it is none, or is not known */
  readonly queue?: IQueue;
  /** The consumer, where it is a function. @default - it is none, or is not known */
  readonly handler?: IFunction;
  /** Whether its dead-letter queue must be FIFO. @default false */
  readonly fifo?: boolean;
  /** When a failed delivery is tried again. @default - by the topic's policy, or SNS's own */
  readonly deliveryPolicy?: DeliveryPolicySettings;
  /** What SNS would reject of it, beside what it would reject of any delivery. */
  readonly problems: readonly Problem[];
  /** What is legal, and may reach nobody. @default - nothing */
  readonly warnings?: readonly Warning[];
  /** Makes the role SNS writes with. @default - it comes as itself */
  readonly role?: (scope: Construct) => IRole;
  /** Gives the topic its access; returns what the subscription must depend on. @default - it needs none */
  readonly admit?: (scope: Construct) => IDependable[];
}

/** What SNS does alike for every delivery by a protocol, beside what `lib/policy/protocol.ts` says of it. */
interface ProtocolFacts {
  /** What delivery-status logging calls it. @default - SNS cannot log it */
  readonly logging?: LoggingProtocol;
  /** What the ARN of an endpoint must be of. @default - endpoints have no ARN */
  readonly arn?: ArnKind;
  /** Whether SNS delivers to other Regions by it. @default false */
  readonly crossRegion?: boolean;
  /** Whether SNS delivers from a Region enabled by default to one that is opt-in. @default false */
  readonly toOptIn?: boolean;
}

/**
 * Every protocol.
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

/** What is known of a protocol, by the name a template has for it. */
export function protocolFacts(protocol: string): ProtocolFacts {
  return new Map<string, ProtocolFacts>(Object.entries(PROTOCOLS)).get(protocol) ?? {};
}

/** Where a delivery is made, and by what id. */
export interface DeliveryPlace {
  readonly parent: Construct;
  readonly id: string;
}

/**
 * Among its topic's deliveries; beside its consumer where that is in another stack, or the two stacks would need each
 * other.
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

/** A subscription's own resource. The construct has made it before anybody can ask. */
export function resourceOf(subscription: Subscription): CfnSubscription {
  const resource = subscription.node.defaultChild;
  if (resource instanceof CfnSubscription) return resource;
  throw new Error(`${subscription.node.path} has no AWS::SNS::Subscription`);
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

/** Whether a topic is known to be of another account or Region than the stack of `scope`. */
export function isElsewhere(scope: Construct, { env }: ITopic): boolean {
  const { account, region } = Stack.of(scope);
  return differs(account, env.account) || differs(region, env.region);
}

/**
 * The key a queue made below `scope` may have of its topic: none of another account or Region. SNS could put letters in, but
 * nobody there could take them out.
 */
export function keyFor(scope: Construct, topic: ITopic, key: IKey | undefined): IKey | undefined {
  return isElsewhere(scope, topic) ? undefined : key;
}

/** The Region of who is delivered to: that of the stack, where it is none of ours. */
export function consumerRegion(scope: Construct, consumer: IResource | undefined): string {
  return consumer?.env.region ?? Stack.of(scope).region;
}

/** The Region a subscription must name: the topic's, where the consumer's is another. */
export function regionOf(scope: Construct, topic: ITopic, consumer: IResource | undefined): string | undefined {
  return differs(topic.env.region, consumerRegion(scope, consumer)) ? topic.env.region : undefined;
}
