import { LoggingProtocol, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { ArnKind } from '../shared/addresses';

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

export function protocolFacts(protocol: string): ProtocolFacts {
  return new Map<string, ProtocolFacts>(Object.entries(PROTOCOLS)).get(protocol) ?? {};
}
