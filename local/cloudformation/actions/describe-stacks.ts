import type { Stack } from '@aws-sdk/client-cloudformation';
import { stringMember } from '../json';
import { MASK, type StackRecord } from '../stack-record';
import { type CloudFormationAction, stackNamed, stackPage } from './cloud-formation-action';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html */
export const describeStacks: CloudFormationAction<'DescribeStacks'> = {
  permission: 'cloudformation:DescribeStacks',
  resourceOf: (state, { StackName }) => (StackName === undefined ? { arn: '*' } : stackNamed(state, StackName)),
  run: ({ directory }, { input: { StackName, NextToken } }) => {
    const found = StackName === undefined ? undefined : directory.find(StackName);
    const { items, nextToken } = stackPage(found ? [found] : [...directory.all()].reverse(), NextToken);
    return { Stacks: items.map(described), ...(nextToken !== undefined && { NextToken: nextToken }) };
  },
};

function described(stack: StackRecord): Stack {
  const { name, id, description, status, parameters, outputs, root } = stack;
  const { parent, template, notificationArns, createdAtMs } = description;
  const about = stringMember(template, 'Description');
  return {
    StackId: id,
    StackName: name,
    ...(about !== undefined && { Description: about }),
    Parameters: parameters.map(({ name: ParameterKey, value, isSecret, resolved }) => ({
      ParameterKey,
      ParameterValue: isSecret ? MASK : value,
      ...(resolved !== undefined && { ResolvedValue: resolved }),
    })),
    CreationTime: new Date(createdAtMs),
    RollbackConfiguration: {},
    StackStatus: status,
    DisableRollback: false,
    NotificationARNs: [...notificationArns],
    Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'],
    Outputs: outputs.map(({ logicalId, value, description: what, exportName }) => ({
      OutputKey: logicalId,
      OutputValue: value,
      ...(what !== undefined && { Description: what }),
      ...(exportName !== undefined && { ExportName: exportName }),
    })),
    Tags: [],
    EnableTerminationProtection: false,
    DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
    ...(parent && { ParentId: parent.id, RootId: root?.id }),
  };
}
