import type { LoggingConfig, LoggingProtocol, Subscription, Topic } from 'aws-cdk-lib/aws-sns';
import { integerProblems, throwProblems, warn } from '../../shared/checks';
import { resourceOf } from '../deliveries/delivery-place';
import { protocolFacts } from '../deliveries/protocols';
import type { DeliveryStatusLogging } from '../delivery-status-logging';
import { renderLogging, SAMPLE_RATE } from './logging-config';

/** What a topic logs of its deliveries: what its user says of a protocol, and for the others in use whatever SNS can. */
export class StatusLogging {
  private readonly configs = new Map<LoggingProtocol, LoggingConfig>();
  private readonly stated = new Set<LoggingProtocol>();
  private logs?: DeliveryStatusLogging;

  constructor(private readonly topic: Topic) {
    renderLogging(topic, this.configs);
  }

  /** What the protocols in use are logged with; undefined where they are not. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.logs;
  }

  /** Whether failures by a protocol are logged. */
  public canLog(protocol: string): boolean {
    return this.logs !== undefined && protocolFacts(protocol).logging !== undefined;
  }

  public logWith(logs: DeliveryStatusLogging): void {
    this.logs = logs;
  }

  /**
   * Takes what a user says of a protocol.
   * @throws if the success sample rate is not a whole number from 0 to 100, or a user has said something of it already
   */
  public configure(config: LoggingConfig): void {
    const { protocol, failureFeedbackRole, successFeedbackRole } = config;
    const rate = config.successFeedbackSampleRate;
    const rule = 'must have one logging configuration, for a topic logs each protocol in one way';
    throwProblems(this.topic.node.path, [
      ...integerProblems('successFeedbackSampleRate', rate, SAMPLE_RATE),
      ...(this.stated.has(protocol) ? [{ property: 'protocol', rule, value: protocol }] : []),
    ]);
    this.stated.add(protocol);
    this.configs.set(protocol, config);
    if (failureFeedbackRole || successFeedbackRole) return;
    const message = `Delivery status of ${protocol} is not logged: SNS has no role to log it with.`;
    warn(this.topic, 'logging-without-role', message);
  }

  /** Logs what becomes of a subscription's messages, and makes it wait until that can be written. */
  public cover(subscription: Subscription): void {
    if (!this.logs) return;
    const { role, successSampleRate } = this.logs;
    const { logging } = protocolFacts(resourceOf(subscription).protocol);
    if (logging && !this.configs.has(logging)) {
      this.configs.set(logging, {
        protocol: logging,
        failureFeedbackRole: role,
        successFeedbackRole: role,
        successFeedbackSampleRate: successSampleRate,
      });
    }
    subscription.node.addDependency(this.logs);
  }
}
