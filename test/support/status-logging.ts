import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';

/** Lets SNS write delivery-status records, as its documentation has it: `Logging`. */
export function loggingRole(stack: Stack): Role {
  const role = new Role(stack, 'Logging', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
  const actions = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  return role;
}

/** Has SNS write delivery-status records of what fails. */
export function logFailures(topic: Topic, protocols: readonly LoggingProtocol[]): void {
  const failureFeedbackRole = loggingRole(topic.stack);
  for (const protocol of protocols) topic.addLoggingConfig({ protocol, failureFeedbackRole });
}
