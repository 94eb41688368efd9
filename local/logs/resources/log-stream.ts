import type { ResourceType } from '../../cloudformation/resource-type';
import type { Logs } from '../logs';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-logstream.html */
export const logStreamResourceType = (logs: Logs): ResourceType => ({
  type: 'AWS::Logs::LogStream',
  create(properties, context) {
    const logGroupName = properties.requiredString('LogGroupName');
    const logStreamName = properties.string('LogStreamName') ?? context.physicalName();
    if (properties.allProblems().length === 0) {
      logs.call('CreateLogStream', logs.owner, { logGroupName, logStreamName });
    }
    return { ref: logStreamName, attributes: {} };
  },
});
