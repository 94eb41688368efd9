import { Lazy, Tokenization } from 'aws-cdk-lib';
import { CfnTopic, type LoggingConfig, type Topic } from 'aws-cdk-lib/aws-sns';
import type { Range } from '../../shared/checks';

/** How many of a hundred successful deliveries may be logged. */
export const SAMPLE_RATE: Range = { min: 0, max: 100 };

function rendered(config: LoggingConfig): CfnTopic.LoggingConfigProperty {
  const rate = config.successFeedbackSampleRate;
  return {
    protocol: config.protocol,
    failureFeedbackRoleArn: config.failureFeedbackRole?.roleRef.roleArn,
    successFeedbackRoleArn: config.successFeedbackRole?.roleRef.roleArn,
    successFeedbackSampleRate: rate === undefined ? undefined : Tokenization.stringifyNumber(rate),
  };
}

/**
 * Renders the logging of a topic, one configuration a protocol, as late as synthesis. A `Topic` would do it itself, but
 * throws on a sample rate that is not known before deployment.
 */
export function renderLogging(topic: Topic, configs: ReadonlyMap<string, LoggingConfig>): void {
  const resource = topic.node.defaultChild;
  if (!(resource instanceof CfnTopic)) throw new Error(`${topic.node.path} has no AWS::SNS::Topic`);
  const produce = () => [...configs.values()].map(rendered);
  resource.deliveryStatusLogging = Lazy.any({ produce }, { omitEmptyArray: true });
}
