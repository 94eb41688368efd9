import type { ResourceStatus, StackResource, StackResourceSummary } from '@aws-sdk/client-cloudformation';
import type { ResourceRecord, StackRecord } from '../stack-record';
import { type CloudFormationAction, stackNamed, stackPage, validationError } from './cloud-formation-action';

function summary({ logicalId, physicalId, type, status, reason, changedAtMs }: ResourceRecord): StackResourceSummary {
  return {
    LogicalResourceId: logicalId,
    ...(physicalId !== undefined && { PhysicalResourceId: physicalId }),
    ResourceType: type,
    LastUpdatedTimestamp: new Date(changedAtMs),
    ResourceStatus: status as ResourceStatus,
    ...(reason !== undefined && { ResourceStatusReason: reason }),
    DriftInformation: { StackResourceDriftStatus: 'NOT_CHECKED' },
  };
}

function described({ id, name }: StackRecord, resource: ResourceRecord): StackResource {
  const { LastUpdatedTimestamp: Timestamp, ...common } = summary(resource);
  return { StackName: name, StackId: id, ...common, Timestamp };
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStackResources.html */
export const listStackResources: CloudFormationAction<'ListStackResources', StackRecord> = {
  permission: 'cloudformation:ListStackResources',
  resourceOf: (state, { StackName }) => stackNamed(state, StackName),
  run: (_state, { input: { NextToken } }, { resources }) => {
    const { items, nextToken } = stackPage([...resources.values()], NextToken);
    return { StackResourceSummaries: items.map(summary), ...(nextToken !== undefined && { NextToken: nextToken }) };
  },
};

/**
 * Lists the resources of a stack, given the stack or one of its physical resources.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackResources.html
 */
export const describeStackResources: CloudFormationAction<'DescribeStackResources'> = {
  permission: 'cloudformation:DescribeStackResources',
  resourceOf: (state, { StackName }) => (StackName === undefined ? { arn: '*' } : stackNamed(state, StackName)),
  run: ({ directory }, { input: { StackName, LogicalResourceId, PhysicalResourceId } }) => {
    if ((StackName === undefined) === (PhysicalResourceId === undefined)) {
      throw validationError('Exactly one of StackName and PhysicalResourceId must be given');
    }
    const has = ({ resources }: StackRecord) =>
      [...resources.values()].some(({ physicalId }) => physicalId === PhysicalResourceId);
    const stack = StackName === undefined ? directory.all().find(has) : directory.find(StackName);
    if (!stack) throw validationError(`Stack for ${PhysicalResourceId} does not exist`);
    const wanted = [...stack.resources.values()].filter(
      ({ logicalId }) => LogicalResourceId === undefined || logicalId === LogicalResourceId,
    );
    if (wanted.length === 0 && LogicalResourceId !== undefined) throw noResource(LogicalResourceId, stack);
    return { StackResources: wanted.map(resource => described(stack, resource)) };
  },
};

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStackResource.html */
export const describeStackResource: CloudFormationAction<'DescribeStackResource', StackRecord> = {
  permission: 'cloudformation:DescribeStackResource',
  resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack '${name}' does not exist`),
  run: (_state, { input: { LogicalResourceId = '' } }, stack) => {
    const resource = stack.resources.get(LogicalResourceId);
    if (!resource) throw noResource(LogicalResourceId, stack);
    const { name: StackName, id: StackId } = stack;
    return {
      StackResourceDetail: {
        StackName,
        StackId,
        ...summary(resource),
        Metadata: JSON.stringify(stack.metadataOf(LogicalResourceId) ?? {}),
      },
    };
  },
};

function noResource(logicalId: string, { name }: StackRecord) {
  return validationError(`Resource ${logicalId} does not exist for stack ${name}`);
}
