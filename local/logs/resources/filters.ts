import type { MetricTransformation, StandardUnit } from '@aws-sdk/client-cloudwatch-logs';
import type { PropertyReader } from '../../cloudformation/property-reader';
import { isNameFree, type PutResource, type ResourceType } from '../../cloudformation/resource-type';
import type { Logs } from '../logs';

const METRIC_FILTER_TYPE = 'AWS::Logs::MetricFilter';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-metricfilter.html */
export const metricFilterResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const filterName = properties.string('FilterName') ?? context.physicalName();
    const logGroupName = properties.requiredString('LogGroupName');
    const filterPattern = properties.string('FilterPattern') ?? properties.problem('FilterPattern', 'is required');
    const metricTransformations = properties.objects('MetricTransformations').map(transformation);
    const identifier = JSON.stringify({
      '/properties/LogGroupName': logGroupName,
      '/properties/FilterName': filterName,
    });
    isNameFree(
      properties,
      { type: METRIC_FILTER_TYPE, property: 'FilterName', identifier },
      !existing && logs.hasMetricFilter(logGroupName, filterName),
    );
    if (properties.allProblems().length === 0) {
      logs.call('PutMetricFilter', logs.owner, { filterName, logGroupName, filterPattern, metricTransformations });
    }
    return { ref: filterName, attributes: {} };
  };
  return {
    type: METRIC_FILTER_TYPE,
    create: put,
    update: put,
    delete: ({ ref: filterName, properties }) => {
      logs.call('DeleteMetricFilter', logs.owner, { logGroupName: properties.string('LogGroupName'), filterName });
    },
  };
};

function transformation(properties: PropertyReader): MetricTransformation {
  const dimensions = properties
    .objects('Dimensions')
    .map(dimension => [dimension.requiredString('Key'), dimension.requiredString('Value')]);
  return {
    metricName: properties.requiredString('MetricName'),
    metricNamespace: properties.requiredString('MetricNamespace'),
    metricValue: properties.requiredString('MetricValue'),
    defaultValue: properties.number('DefaultValue'),
    unit: properties.string('Unit') as StandardUnit | undefined,
    ...(dimensions.length > 0 ? { dimensions: Object.fromEntries(dimensions) } : {}),
  };
}

const SUBSCRIPTION_FILTER_TYPE = 'AWS::Logs::SubscriptionFilter';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-subscriptionfilter.html */
export const subscriptionFilterResourceType = (logs: Logs): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const filterName = properties.string('FilterName') ?? context.physicalName();
    const logGroupName = properties.requiredString('LogGroupName');
    const destinationArn = properties.requiredString('DestinationArn');
    const filterPattern = properties.string('FilterPattern') ?? properties.problem('FilterPattern', 'is required');
    // Distribution matters only for Kinesis streams. A function receives the same events with either value.
    properties.withoutEffect('Distribution');
    const identifier = JSON.stringify({
      '/properties/LogGroupName': logGroupName,
      '/properties/FilterName': filterName,
    });
    isNameFree(
      properties,
      { type: SUBSCRIPTION_FILTER_TYPE, property: 'FilterName', identifier },
      !existing && logs.hasSubscriptionFilter(logGroupName, filterName),
    );
    if (properties.allProblems().length === 0) {
      properties.attempt('DestinationArn', () =>
        logs.call('PutSubscriptionFilter', logs.owner, { filterName, logGroupName, filterPattern, destinationArn }),
      );
    }
    return { ref: filterName, attributes: {} };
  };
  return {
    type: SUBSCRIPTION_FILTER_TYPE,
    create: put,
    update: put,
    delete: ({ ref: filterName, properties }) => {
      logs.call('DeleteSubscriptionFilter', logs.owner, {
        logGroupName: properties.string('LogGroupName'),
        filterName,
      });
    },
  };
};
