import { LoggingProtocol, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { ArnKind } from './addresses';

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
