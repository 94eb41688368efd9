import { Tokenization } from 'aws-cdk-lib';
import { MathExpression, type MathExpressionOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** SNS sends neither metric while there is nothing to count. */
const FAILED = 'FILL(failed, 0)';
const ATTEMPTS = `(${FAILED} + FILL(delivered, 0))`;
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
