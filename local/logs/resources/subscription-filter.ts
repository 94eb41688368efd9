import type { ResourceType } from '../../cloudformation/resource-type';
import { isNameFree } from '../../cloudformation/taken-name';
import type { Logs } from '../logs';

const SUBSCRIPTION_FILTER_TYPE = 'AWS::Logs::SubscriptionFilter';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-subscriptionfilter.html */
export const subscriptionFilterResourceType = (logs: Logs): ResourceType => ({
  type: SUBSCRIPTION_FILTER_TYPE,
  create(properties, context) {
    const filterName = properties.string('FilterName') ?? context.physicalName();
    const logGroupName = properties.requiredString('LogGroupName');
    const destinationArn = properties.requiredString('DestinationArn');
    const filterPattern = properties.string('FilterPattern') ?? properties.problem('FilterPattern', 'is required');
    // A function is invoked by its own policy, whatever the distribution.
    properties.withoutEffect('Distribution');
    const identifier = JSON.stringify({
      '/properties/LogGroupName': logGroupName,
      '/properties/FilterName': filterName,
    });
    isNameFree(
      properties,
      { type: SUBSCRIPTION_FILTER_TYPE, property: 'FilterName', identifier },
      logs.hasSubscriptionFilter(logGroupName, filterName),
    );
    if (properties.allProblems().length === 0) {
      properties.attempt('DestinationArn', () =>
        logs.call('PutSubscriptionFilter', logs.owner, { filterName, logGroupName, filterPattern, destinationArn }),
      );
    }
    return { ref: filterName, attributes: {} };
  },
});
