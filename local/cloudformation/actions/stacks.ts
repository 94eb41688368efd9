import type { ResourceStatus, Stack } from '@aws-sdk/client-cloudformation';
import { isObject } from '../../kernel/json';
import { MASK, type StackRecord } from '../stack-record';
import { stringMember } from '../template';
import {
  type CloudFormationAction,
  stackNamed,
  stackPage,
  templateIn,
  validationError,
} from './cloud-formation-action';

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
  const { name, id, description, status, statusReason, parameters, outputs, root } = stack;
  const { parent, createdAtMs } = description;
  const { template, notificationArns } = stack.artifact;
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
    ...dates(stack),
    RollbackConfiguration: {},
    StackStatus: status,
    ...(statusReason !== undefined && { StackStatusReason: statusReason }),
    DisableRollback: ['DISABLED', 'DO_NOTHING'].includes(stack.onFailure),
    NotificationARNs: [...notificationArns],
    Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'],
    Outputs: outputs.map(({ logicalId, value, description: what, exportName }) => ({
      OutputKey: logicalId,
      OutputValue: value,
      ...(what !== undefined && { Description: what }),
      ...(exportName !== undefined && { ExportName: exportName }),
    })),
    Tags: [],
    EnableTerminationProtection: stack.isProtected,
    DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
    ...(parent && { ParentId: parent.id, RootId: root?.id }),
  };
}

const dates = ({ updatedAtMs, deletedAtMs }: StackRecord) => ({
  ...(updatedAtMs !== undefined && { LastUpdatedTime: new Date(updatedAtMs) }),
  ...(deletedAtMs !== undefined && { DeletionTime: new Date(deletedAtMs) }),
});

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStacks.html */
export const listStacks: CloudFormationAction<'ListStacks'> = {
  permission: 'cloudformation:ListStacks',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input: { StackStatusFilter, NextToken } }) => {
    const wanted = directory
      .everAll()
      .filter(({ status }) => !StackStatusFilter?.length || StackStatusFilter.includes(status));
    const { items, nextToken } = stackPage([...wanted].reverse(), NextToken);
    return {
      StackSummaries: items.map(stack => {
        const { id, name, status, root, artifact, description } = stack;
        const { parent, createdAtMs } = description;
        const about = stringMember(artifact.template, 'Description');
        return {
          StackId: id,
          StackName: name,
          ...(about !== undefined && { TemplateDescription: about }),
          CreationTime: new Date(createdAtMs),
          ...dates(stack),
          StackStatus: status,
          ...(parent && { ParentId: parent.id, RootId: root?.id }),
          DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
        };
      }),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_GetTemplate.html */
export const getTemplate: CloudFormationAction<'GetTemplate', StackRecord> = {
  permission: 'cloudformation:GetTemplate',
  resourceOf: (state, { StackName }) => stackNamed(state, StackName),
  run: (_state, _call, { artifact: { template } }) => ({
    TemplateBody: JSON.stringify(template, undefined, 1),
    StagesAvailable: ['Original', 'Processed'],
  }),
};

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListExports.html */
export const listExports: CloudFormationAction<'ListExports'> = {
  permission: 'cloudformation:ListExports',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input: { NextToken } }) => {
    const exports = directory
      .all()
      .flatMap(({ id, outputs }) =>
        outputs.flatMap(({ exportName, value }) =>
          exportName === undefined ? [] : [{ ExportingStackId: id, Name: exportName, Value: value }],
        ),
      );
    const { items, nextToken } = stackPage(exports, NextToken);
    return { Exports: items, ...(nextToken !== undefined && { NextToken: nextToken }) };
  },
};

/**
 * Lists events, newest first.
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
        ResourceStatus: status as ResourceStatus,
        ...(reason !== undefined && { ResourceStatusReason: reason }),
        ...(properties !== undefined && { ResourceProperties: properties }),
      })),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_GetTemplateSummary.html */
export const getTemplateSummary: CloudFormationAction<'GetTemplateSummary'> = {
  permission: 'cloudformation:GetTemplateSummary',
  resourceOf: (state, { StackName }) => (StackName === undefined ? { arn: '*' } : stackNamed(state, StackName)),
  run: ({ directory }, { input: { StackName, TemplateBody } }) => {
    const known = StackName === undefined ? undefined : directory.find(StackName);
    if (TemplateBody === undefined && !known) {
      throw validationError('Either Template URL or Template Body or Stack Name must be specified.');
    }
    const template = TemplateBody === undefined ? (known?.artifact.template ?? {}) : templateIn(TemplateBody);
    const { Parameters, Resources } = template;
    const declared = isObject(Parameters) ? Object.entries(Parameters) : [];
    const types = Object.values(isObject(Resources) ? Resources : {}).flatMap(it => (isObject(it) ? [it['Type']] : []));
    const about = stringMember(template, 'Description');
    return {
      Parameters: declared.map(([ParameterKey, declaration]) => {
        const { Type, Default, NoEcho } = isObject(declaration) ? declaration : {};
        return {
          ParameterKey,
          ParameterType: String(Type),
          ...(Default !== undefined && { DefaultValue: String(Default) }),
          NoEcho: NoEcho === true || NoEcho === 'true',
          ParameterConstraints: {},
        };
      }),
      ResourceTypes: [...new Set(types.filter(type => typeof type === 'string'))],
      ...(about !== undefined && { Description: about }),
    };
  },
};
