import { Tokenization } from 'aws-cdk-lib';
import { MathExpression, type MathExpressionOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/**
 * SNS sends neither metric while it has nothing to count: each is 0 where there is the other one. Where there is neither,
 * nothing is filled in: metrics come late, a newest datapoint that is filled with 0 stands for each that is still to come, and
 * an alarm on all datapoints would never fire.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const FAILED = 'FILL(failed, 0 * delivered)';
const ATTEMPTS = `(${FAILED} + FILL(delivered, 0 * failed))`;
const RATE = `100 * ${FAILED} / ${ATTEMPTS}`;

function expressionOf(topic: ITopic, expression: string, options?: MathExpressionOptions): MathExpression {
  const usingMetrics = {
    failed: topic.metricNumberOfNotificationsFailed(),
    delivered: topic.metricNumberOfNotificationsDelivered(),
  };
  return new MathExpression({ label: 'delivery failures, %', ...options, expression, usingMetrics });
}

/** How many of a hundred attempts failed; nothing while there were none. */
export function failureRate(topic: ITopic, options?: MathExpressionOptions): MathExpression {
  return expressionOf(topic, RATE, options);
}

/** The same, and 0 wherever there were fewer attempts than `minimumAttempts`. */
export function failureRateAbove(topic: ITopic, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  return expressionOf(topic, `IF(${ATTEMPTS} >= ${atLeast}, ${RATE}, 0)`);
}
