import { LoggingProtocol, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';

/** What SNS does alike for every delivery by a protocol. */
interface ProtocolFacts {
  /** What delivery-status logging calls it. @default - SNS cannot log it */
  readonly logging?: LoggingProtocol;
  /** Whether the recipient can get the message alone. @default false */
  readonly raw?: boolean;
  /** Whether FIFO topics deliver by it. @default false */
  readonly fifo?: boolean;
}

/**
 * Every protocol.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-delivery.html
 */
const PROTOCOLS: Readonly<Record<SubscriptionProtocol, ProtocolFacts>> = {
  [SubscriptionProtocol.SQS]: { logging: LoggingProtocol.SQS, raw: true, fifo: true },
  [SubscriptionProtocol.LAMBDA]: { logging: LoggingProtocol.LAMBDA },
  [SubscriptionProtocol.HTTP]: { logging: LoggingProtocol.HTTP, raw: true },
  [SubscriptionProtocol.HTTPS]: { logging: LoggingProtocol.HTTP, raw: true },
  [SubscriptionProtocol.FIREHOSE]: { logging: LoggingProtocol.FIREHOSE, raw: true },
  [SubscriptionProtocol.APPLICATION]: { logging: LoggingProtocol.APPLICATION },
  [SubscriptionProtocol.EMAIL]: {},
  [SubscriptionProtocol.EMAIL_JSON]: {},
  [SubscriptionProtocol.SMS]: {},
};

/** What is known of a protocol, by the name a template has for it. */
export function protocolFacts(protocol: string): ProtocolFacts {
  return new Map<string, ProtocolFacts>(Object.entries(PROTOCOLS)).get(protocol) ?? {};
}
