import type { Change } from '@aws-sdk/client-cloudformation';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { arnIn } from '../../kernel/place';
import { MissingResource } from '../../kernel/service-api';
import type { ChangeSet, PredictedChange } from '../change-prediction';
import type { StackRecord } from '../stack-record';
import { checkUpdatable, planned, requestedStack, start } from './change-stacks';
import { type CloudFormationFamily, type CloudFormationState, stackNamed } from './cloud-formation-action';

const NO_CHANGES =
  "The submitted information didn't contain changes. Submit different information to create a change set.";

export interface NamesChangeSet {
  readonly ChangeSetName: string | undefined;
  readonly StackName?: string | undefined;
}

export const changeSetActions = {
  CreateChangeSet: {
    resourceOf: (state, { StackName }) => ({ arn: stackNamed(state, StackName).arn }),
    run: (state, { input }) => {
      const { StackName = '', ChangeSetName: name = '', ChangeSetType: type = 'UPDATE', Capabilities } = input;
      const known = state.directory.find(StackName);
      if (type === 'UPDATE' && !known) {
        throw new AwsError('ValidationError', `Stack [${StackName}] does not exist`);
      }
      if (type === 'CREATE' && known && known.status !== 'REVIEW_IN_PROGRESS') {
        throw new AwsError(
          'ValidationError',
          `Stack [${StackName}] already exists and cannot be created again with the changeSet [${name}].`,
        );
      }
      if (known && known.status !== 'REVIEW_IN_PROGRESS') checkUpdatable(known);
      if (known && find(state, StackName, name)) {
        throw new AwsError(
          'AlreadyExistsException',
          `ChangeSet ${name} cannot be created due to a mismatch with existing attribute ${name}`,
        );
      }
      const wanted = requestedStack(input, known);
      const engine = state.engine();
      const isEmpty =
        known !== undefined && type === 'UPDATE' && engine.isUnchanged(known, wanted.artifact, wanted.given);
      const operation = planned(engine, wanted);
      const { stack } = operation;
      const nowMs = state.timeline.nowMs;
      if (!known) stack.enter('REVIEW_IN_PROGRESS', nowMs, 'User Initiated');
      const arn = arnIn(state.place, 'cloudformation', `changeSet/${name}/${state.random.uuid()}`);
      const changes = isEmpty ? [] : operation.predict();
      const about = { name, arn, stack, wanted, type, changes, isEmpty, capabilities: Capabilities, isExecuted: false };
      state.changeSets.set(arn, { ...about, createdAtMs: nowMs });
      return { Id: arn, StackId: stack.id };
    },
  },

  DescribeChangeSet: {
    resourceOf: changeSetNamed,
    run: (_state, _call, set: ChangeSet) => ({
      ChangeSetName: set.name,
      ChangeSetId: set.arn,
      StackId: set.stack.id,
      StackName: set.stack.name,
      Parameters: Object.entries(set.wanted.given).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      })),
      CreationTime: new Date(set.createdAtMs),
      ...statusOf(set),
      NotificationARNs: [...set.wanted.artifact.notificationArns],
      RollbackConfiguration: {},
      Capabilities: set.capabilities,
      Tags: [],
      Changes: set.changes.map(described),
      IncludeNestedStacks: false,
    }),
  },

  ExecuteChangeSet: {
    resourceOf: changeSetNamed,
    run: (state, { input }, set: ChangeSet) => {
      if (input.DisableRollback === true) throw notImplemented('DisableRollback of cloudformation:ExecuteChangeSet');
      const { Status, ExecutionStatus } = statusOf(set);
      if (ExecutionStatus !== 'AVAILABLE') {
        const text = `ChangeSet [${set.arn}] cannot be executed in its current status of [${Status}]`;
        throw new AwsError('InvalidChangeSetStatus', text);
      }
      if (set.stack.status !== 'REVIEW_IN_PROGRESS') checkUpdatable(set.stack);
      const engine = state.engine();
      const operation = planned(engine, set.wanted);
      for (const other of state.changeSets.values()) {
        // As on AWS, the other change sets of the stack are deleted: they may not fit any more.
        if (other.stack === set.stack && other !== set) state.changeSets.delete(other.arn);
      }
      set.isExecuted = true;
      start(state, engine, operation);
      return {};
    },
  },

  DeleteChangeSet: {
    resourceOf: (state, input) => ({ arn: changeSetNamed(state, input).arn }),
    run: (state, { input: { ChangeSetName = '', StackName } }) => {
      const found = find(state, StackName, ChangeSetName);
      if (found) state.changeSets.delete(found.arn);
      return {};
    },
  },

  ListChangeSets: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack [${name}] does not exist`),
    run: ({ changeSets }, _call, stack: StackRecord) => ({
      Summaries: [...changeSets.values()]
        .filter(set => set.stack === stack)
        .map(set => ({
          StackId: stack.id,
          StackName: stack.name,
          ChangeSetId: set.arn,
          ChangeSetName: set.name,
          CreationTime: new Date(set.createdAtMs),
          ...statusOf(set),
        })),
    }),
  },
} satisfies CloudFormationFamily;

function statusOf({ isEmpty, isExecuted }: ChangeSet) {
  if (isEmpty) return { Status: 'FAILED', StatusReason: NO_CHANGES, ExecutionStatus: 'UNAVAILABLE' } as const;
  const ExecutionStatus = isExecuted ? 'EXECUTE_COMPLETE' : 'AVAILABLE';
  return { Status: 'CREATE_COMPLETE', ExecutionStatus } as const;
}

function described({ action, logicalId, type, before, replacement, changed }: PredictedChange): Change {
  return {
    Type: 'Resource',
    ResourceChange: {
      Action: action,
      LogicalResourceId: logicalId,
      ...(before && { PhysicalResourceId: before.ref }),
      ResourceType: type,
      ...(action === 'Modify' && { Replacement: replacement }),
      Scope: action === 'Modify' ? ['Properties'] : [],
      Details: changed.map(Name => ({ Target: { Attribute: 'Properties', Name }, Evaluation: 'Static' })),
    },
  };
}

function changeSetNamed(state: CloudFormationState, { ChangeSetName = '', StackName }: NamesChangeSet) {
  const found = find(state, StackName, ChangeSetName);
  const arn = arnIn(state.place, 'cloudformation', `changeSet/${ChangeSetName}/*`);
  return (
    found ??
    new MissingResource(arn, new AwsError('ChangeSetNotFound', `ChangeSet [${ChangeSetName}] does not exist`, 404))
  );
}

function find({ changeSets }: CloudFormationState, stackName: string | undefined, name: string): ChangeSet | undefined {
  const isIt = ({ name: own, stack }: ChangeSet) =>
    own === name && (stack.name === stackName || stack.id === stackName);
  return changeSets.get(name) ?? [...changeSets.values()].find(isIt);
}
