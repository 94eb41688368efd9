import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';

/** Has SNS write delivery-status records of what fails, by a role such as its documentation has it, `Logging`. */
export function logFailures(topic: Topic, protocols: readonly LoggingProtocol[]): void {
  const failureFeedbackRole = new Role(topic.stack, 'Logging', {
    assumedBy: new ServicePrincipal('sns.amazonaws.com'),
  });
  const actions = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
  failureFeedbackRole.addToPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  for (const protocol of protocols) topic.addLoggingConfig({ protocol, failureFeedbackRole });
}
