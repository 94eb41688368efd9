import type { ResourceType } from '../../cloudformation/resource-type';
import type { Logs } from '../logs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-subscriptionfilter.html */
export const subscriptionFilterResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::SubscriptionFilter',
  create(properties, context) {
    const filterName = properties.string('FilterName') ?? context.physicalName();
    const logGroupName = properties.requiredString('LogGroupName');
    const destinationArn = properties.requiredString('DestinationArn');
    const filterPattern = properties.string('FilterPattern') ?? properties.problem('FilterPattern', 'is required');
    // A function is invoked by its own policy, whatever the distribution.
    properties.withoutEffect('Distribution');
    if (properties.allProblems().length === 0) {
      properties.attempt('DestinationArn', () =>
        logs.call('PutSubscriptionFilter', logs.owner, { filterName, logGroupName, filterPattern, destinationArn }),
      );
    }
    return { ref: filterName, attributes: {} };
  },
});
