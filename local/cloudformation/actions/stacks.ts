import type { ResourceStatus, Stack, StackResource, StackResourceSummary } from '@aws-sdk/client-cloudformation';
import { isObject } from '../../kernel/json';
import { MASK, type ResourceRecord, type StackRecord } from '../stack-record';
import { stringMember } from '../template';
import {
  type CloudFormationFamily,
  stackNamed,
  stackPage,
  templateIn,
  validationError,
} from './cloud-formation-action';

const dates = ({ updatedAtMs, deletedAtMs }: StackRecord) => ({
  ...(updatedAtMs !== undefined && { LastUpdatedTime: new Date(updatedAtMs) }),
  ...(deletedAtMs !== undefined && { DeletionTime: new Date(deletedAtMs) }),
});

export const stackActions = {
  DescribeStacks: {
    resourceOf: (state, { StackName }) => (StackName === undefined ? { arn: '*' } : stackNamed(state, StackName)),
    run: ({ directory }, { input: { StackName, NextToken } }) => {
      const found = StackName === undefined ? undefined : directory.find(StackName);
      const { items, nextToken } = stackPage(found ? [found] : [...directory.all()].reverse(), NextToken);
      return { Stacks: items.map(describedStack), ...(nextToken !== undefined && { NextToken: nextToken }) };
    },
  },

  ListStacks: {
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
  },

  GetTemplate: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName),
    run: (_state, _call, { artifact: { template } }: StackRecord) => ({
      TemplateBody: JSON.stringify(template, undefined, 1),
      StagesAvailable: ['Original', 'Processed'],
    }),
  },

  ListExports: {
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
  },

  /** Lists events, newest first. */
  DescribeStackEvents: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack [${name}] does not exist`),
    run: (_state, { input: { NextToken } }, { id, name, events }: StackRecord) => {
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
  },

  GetTemplateSummary: {
    resourceOf: (state, { StackName }) => (StackName === undefined ? { arn: '*' } : stackNamed(state, StackName)),
    run: ({ directory }, { input: { StackName, TemplateBody } }) => {
      const known = StackName === undefined ? undefined : directory.find(StackName);
      if (TemplateBody === undefined && !known) {
        throw validationError('Either Template URL or Template Body or Stack Name must be specified.');
      }
      const template = TemplateBody === undefined ? (known?.artifact.template ?? {}) : templateIn(TemplateBody);
      const { Parameters, Resources } = template;
      const declared = isObject(Parameters) ? Object.entries(Parameters) : [];
      const types = Object.values(isObject(Resources) ? Resources : {}).flatMap(it =>
        isObject(it) ? [it['Type']] : [],
      );
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
  },

  ListStackResources: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName),
    run: (_state, { input: { NextToken } }, { resources }: StackRecord) => {
      const { items, nextToken } = stackPage([...resources.values()], NextToken);
      return { StackResourceSummaries: items.map(summary), ...(nextToken !== undefined && { NextToken: nextToken }) };
    },
  },

  /** Lists the resources of a stack, given the stack or one of its physical resources. */
  DescribeStackResources: {
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
      return { StackResources: wanted.map(resource => describedResource(stack, resource)) };
    },
  },

  DescribeStackResource: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack '${name}' does not exist`),
    run: (_state, { input: { LogicalResourceId = '' } }, stack: StackRecord) => {
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
  },
} satisfies CloudFormationFamily;

function describedStack(stack: StackRecord): Stack {
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

function describedResource({ id, name }: StackRecord, resource: ResourceRecord): StackResource {
  const { LastUpdatedTimestamp: Timestamp, ...common } = summary(resource);
  return { StackName: name, StackId: id, ...common, Timestamp };
}

function noResource(logicalId: string, { name }: StackRecord) {
  return validationError(`Resource ${logicalId} does not exist for stack ${name}`);
}
