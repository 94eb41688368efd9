import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';

/** A role with which SNS writes delivery-status records, as its documentation describes: `Logging`. */
export function loggingRole(stack: Stack): Role {
  const role = new Role(stack, 'Logging', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
  const actions = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  return role;
}

/** Makes SNS write delivery-status records of failed deliveries. */
export function logFailures(topic: Topic, protocols: readonly LoggingProtocol[]): void {
  const failureFeedbackRole = loggingRole(topic.stack);
  for (const protocol of protocols) topic.addLoggingConfig({ protocol, failureFeedbackRole });
}
