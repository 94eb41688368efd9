import type { StackRecord } from '../stack-record';
import { type CloudFormationAction, stackNamed, stackPage } from './cloud-formation-action';

/**
 * Newest first.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackEvents.html
 */
export const describeStackEvents: CloudFormationAction<'DescribeStackEvents', StackRecord> = {
  permission: 'cloudformation:DescribeStackEvents',
  resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack [${name}] does not exist`),
  run: (_state, { input: { NextToken } }, { id, name, events }) => {
    const { items, nextToken } = stackPage([...events].reverse(), NextToken);
    return {
      StackEvents: items.map(({ eventId, logicalId, physicalId, type, status, reason, changedAtMs, properties }) => ({
        StackId: id,
        EventId: eventId,
        StackName: name,
        LogicalResourceId: logicalId,
        PhysicalResourceId: physicalId ?? '',
        ResourceType: type,
        Timestamp: new Date(changedAtMs),
        ResourceStatus: status,
        ...(reason !== undefined && { ResourceStatusReason: reason }),
        ...(properties !== undefined && { ResourceProperties: properties }),
      })),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};
