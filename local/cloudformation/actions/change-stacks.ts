import type { CreateStackInput, Parameter, UpdateStackInput } from '@aws-sdk/client-cloudformation';
import { ownMember } from '../../../policy/json-members';
import { AwsError, namesOwnLimit, notImplemented, OwnLimit } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import { isObject, type JsonObject } from '../../kernel/json';
import type { StackArtifact } from '../assembly';
import type { RequestedStack } from '../change-prediction';
import { AssemblyError } from '../environment';
import type { StackEngine } from '../stack-engine';
import type { StackOperation } from '../stack-operation';
import type { StackRecord } from '../stack-record';
import {
  type CloudFormationFamily,
  type CloudFormationState,
  stackNamed,
  templateIn,
  validationError,
} from './cloud-formation-action';

/** The members of a request that describe what a stack should become. */
export type StackRequest = Partial<
  Pick<
    CreateStackInput & UpdateStackInput,
    | 'StackName'
    | 'TemplateBody'
    | 'TemplateURL'
    | 'UsePreviousTemplate'
    | 'Parameters'
    | 'Capabilities'
    | 'NotificationARNs'
    | 'RollbackConfiguration'
  >
>;

/** Members that AWS supports but the embedded AWS does not. */
const REFUSED = [
  'TemplateURL',
  'StackPolicyBody',
  'StackPolicyURL',
  'StackPolicyDuringUpdateBody',
  'StackPolicyDuringUpdateURL',
  'RoleARN',
  'TimeoutInMinutes',
  'OnStackFailure',
  'ResourceTypes',
  'ImportExistingResources',
];

type Values = Readonly<Record<string, string>>;

/** The types that need a capability, with the property that makes it `CAPABILITY_NAMED_IAM`. */
const IAM_NAMES: Readonly<Record<string, string>> = {
  'AWS::IAM::AccessKey': '',
  'AWS::IAM::Group': 'GroupName',
  'AWS::IAM::InstanceProfile': 'InstanceProfileName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Policy': '',
  'AWS::IAM::Role': 'RoleName',
  'AWS::IAM::User': 'UserName',
  'AWS::IAM::UserToGroupAddition': '',
};

export const changeStackActions = {
  CreateStack: {
    resourceOf: (state, { StackName }) => ({ arn: stackNamed(state, StackName).arn }),
    run: (state, { input }) => {
      const { StackName: name = '' } = input;
      if (state.directory.find(name)) throw new AwsError('AlreadyExistsException', `Stack [${name}] already exists`);
      const { OnFailure, DisableRollback, EnableTerminationProtection = false } = input;
      if (OnFailure !== undefined && DisableRollback !== undefined) {
        throw validationError('You can specify either DisableRollback or OnFailure, but not both.');
      }
      new Constraints(validationError).oneOf('onFailure', OnFailure, ['DO_NOTHING', 'ROLLBACK', 'DELETE']).check();
      const wanted = requestedStack(input, undefined);
      const engine = state.engine();
      const operation = planned(engine, wanted);
      operation.stack.isProtected = EnableTerminationProtection;
      operation.stack.onFailure = DisableRollback === true ? 'DISABLED' : (OnFailure ?? 'ROLLBACK');
      return { StackId: start(state, engine, operation) };
    },
  },

  UpdateStack: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack [${name}] does not exist`),
    run: (state, { input }, stack: StackRecord) => {
      checkUpdatable(stack);
      if (input.DisableRollback === true) throw notImplemented('DisableRollback of cloudformation:UpdateStack');
      const wanted = requestedStack(input, stack);
      const engine = state.engine();
      if (engine.isUnchanged(stack, wanted.artifact, wanted.given))
        throw validationError('No updates are to be performed.');
      return { StackId: start(state, engine, planned(engine, wanted)) };
    },
  },

  /** Deleting a missing stack succeeds. */
  DeleteStack: {
    resourceOf: (state, { StackName }) => ({ arn: stackNamed(state, StackName).arn }),
    run: (state, { input: { StackName = '', RetainResources: retained = [] } }) => {
      const stack = state.directory.find(StackName);
      if (!stack || stack.isDeleted) return;
      if (stack.isProtected) {
        throw validationError(`Stack [${StackName}] cannot be deleted while TerminationProtection is enabled`);
      }
      if (retained.length > 0 && stack.status !== 'DELETE_FAILED') {
        throw validationError(
          `Invalid operation on stack [${stack.id}]. When you delete a stack, specify which resources to retain only when the stack is in the DELETE_FAILED state.`,
        );
      }
      const canCancel = /^(REVIEW|CREATE)_IN_PROGRESS$/.test(stack.status);
      if (stack.status.endsWith('_IN_PROGRESS') && !canCancel) throw notNow(stack, 'deleted');
      follow(state, state.engine().delete(stack, retained));
    },
  },

  UpdateTerminationProtection: {
    resourceOf: (state, { StackName }) => stackNamed(state, StackName, name => `Stack [${name}] does not exist`),
    run: (_state, { input: { EnableTerminationProtection: isProtected } }, stack: StackRecord) => {
      new Constraints(validationError).notNull('enableTerminationProtection', isProtected).check();
      stack.isProtected = isProtected === true;
      return { StackId: stack.id };
    },
  },
} satisfies CloudFormationFamily;

export function checkUpdatable(stack: StackRecord): void {
  const isStable = /^(CREATE|UPDATE|UPDATE_ROLLBACK)_COMPLETE$/.test(stack.status);
  if (isStable || (stack.status === 'CREATE_FAILED' && stack.onFailure === 'DISABLED')) return;
  if (stack.status === 'CREATE_FAILED') {
    throw validationError(
      `This stack cannot be updated from [CREATE_FAILED] state because it contains [on-failure: ${stack.onFailure}]. Please use disable-rollback option instead during stack creation.`,
    );
  }
  throw notNow(stack, 'updated');
}

function notNow({ id, status }: StackRecord, what: string): AwsError {
  return validationError(`Stack:${id} is in ${status} state and can not be ${what}.`);
}

/** Reads what a request describes. @throws AwsError */
export function requestedStack(request: StackRequest, known: StackRecord | undefined): RequestedStack {
  const { StackName = '', TemplateBody, UsePreviousTemplate = false, Capabilities = [], NotificationARNs } = request;
  const { RollbackConfiguration } = request;
  const members: Readonly<Record<string, unknown>> = { ...request };
  const refused = REFUSED.find(member => members[member] !== undefined);
  if (refused) throw notImplemented(`${refused} of CloudFormation`);
  const { RollbackTriggers: triggers = [] } = RollbackConfiguration ?? {};
  if (triggers.length > 0) throw notImplemented('RollbackConfiguration of CloudFormation');
  if (known === undefined) {
    new Constraints(validationError)
      .length('stackName', StackName, 1, 128)
      .pattern('stackName', StackName, '[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*')
      .check();
  }
  if (TemplateBody === undefined && !(UsePreviousTemplate && known)) {
    throw validationError('Either Template URL or Template Body must be specified.');
  }
  const template = TemplateBody === undefined ? (known?.artifact.template ?? {}) : templateIn(TemplateBody);
  checkCapabilities(template, Capabilities);
  const previous = TemplateBody === undefined ? known?.artifact : undefined;
  const artifact: StackArtifact = {
    environment: {},
    parameters: {},
    paths: previous?.paths ?? new Map(),
    assets: known?.artifact.assets ?? new Map(),
    ...(previous?.constructs && { constructs: previous.constructs }),
    name: known?.name ?? StackName,
    template,
    notificationArns: NotificationARNs ?? known?.artifact.notificationArns ?? [],
  };
  return { artifact, given: valuesGiven(template, request.Parameters ?? [], known) };
}

/** Plans the creation or the update of a stack. */
export function planned(engine: StackEngine, { artifact, given }: RequestedStack): StackOperation {
  try {
    return engine.plan(artifact, given);
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const words = wordsOfAws(error.problems);
    const limits = error.problems.filter(namesOwnLimit);
    if (words === undefined && limits.length > 0) throw new OwnLimit(limits.join('; '));
    throw validationError(words ?? `Template error: ${error.problems.join('; ')}`);
  }
}

/** How CloudFormation words the first of these problems for which its words are known. */
function wordsOfAws(problems: readonly string[]): string | undefined {
  const found = (pattern: RegExp) => [...new Set(problems.flatMap(problem => pattern.exec(problem)?.[1] ?? []))];
  const [formatError] = found(/(Template format error: .*)/);
  const types = found(/([^\s(]+)\): this resource type does not exist/);
  const [attribute] = found(/Fn::GetAtt names (\w+), which the template does not declare/);
  const [circle] = found(/circular dependency between resources: (.*)/);
  const undeclared = (block: string, prefix: string) => {
    const names = found(
      new RegExp(`${prefix}.*(?:Ref|Sub|DependsOn) names (\\w+), which the template does not declare`),
    );
    if (names.length === 0) return undefined;
    return `Template format error: Unresolved resource dependencies [${names.join(', ')}] in the ${block} block of the template`;
  };
  if (formatError) return formatError;
  if (types.length > 0) return `Template format error: Unrecognized resource types: [${types.join(', ')}]`;
  if (attribute) return `Template error: instance of Fn::GetAtt references undefined resource ${attribute}`;
  if (circle) return `Circular dependency between resources: [${[...new Set(circle.split(' -> '))].join(', ')}]`;
  return undeclared('Resources', '^\\S+: .*\\(\\S+\\): ') ?? undeclared('Outputs', '^\\S+: Outputs\\.');
}

/** Runs an operation in the background. Returns the ARN of its stack. */
export function start(state: CloudFormationState, engine: StackEngine, operation: StackOperation): string {
  const { onFailure } = operation.stack;
  const kept = onFailure === 'DISABLED' ? 'DO_NOTHING' : onFailure;
  follow(state, engine.run(operation, operation.kind === 'CREATE' ? kept : 'ROLLBACK'));
  return operation.stack.id;
}

/** An error that is not AWS's is a bug of ours, and ends the run of the timeline. */
function follow({ timeline }: CloudFormationState, running: Promise<unknown>): void {
  timeline.whenSettled(running, result => {
    if (result.status === 'rejected') throw result.reason;
  });
}

function valuesGiven(template: JsonObject, parameters: readonly Parameter[], known: StackRecord | undefined): Values {
  const declared = isObject(template['Parameters']) ? template['Parameters'] : {};
  const unknown = parameters.map(({ ParameterKey = '' }) => ParameterKey).filter(key => !Object.hasOwn(declared, key));
  if (unknown.length > 0) throw validationError(`Parameters: [${unknown.join(', ')}] do not exist in the template`);
  const given = parameters.flatMap(({ ParameterKey = '', ParameterValue, UsePreviousValue }) => {
    const value = UsePreviousValue ? known && ownMember(known.given, ParameterKey) : ParameterValue;
    return value === undefined ? [] : [[ParameterKey, value] as const];
  });
  const values: Values = Object.fromEntries(given);
  const missing = Object.entries(declared)
    .filter(
      ([name, declaration]) =>
        ownMember(values, name) === undefined && isObject(declaration) && declaration['Default'] === undefined,
    )
    .map(([name]) => name);
  if (missing.length > 0) throw validationError(`Parameters: [${missing.join(', ')}] must have values`);
  return values;
}

/**
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-iam-template.html#using-iam-capabilities
 */
function checkCapabilities(template: JsonObject, capabilities: readonly string[]): void {
  const resources = isObject(template['Resources']) ? Object.values(template['Resources']) : [];
  const named = resources.filter(isObject).flatMap(({ Type, Properties }) => {
    const property = typeof Type === 'string' && Object.hasOwn(IAM_NAMES, Type) ? IAM_NAMES[Type] : undefined;
    return property === undefined ? [] : [isObject(Properties) && Properties[property] !== undefined];
  });
  if (named.length === 0) return;
  const needed = named.includes(true) ? 'CAPABILITY_NAMED_IAM' : 'CAPABILITY_IAM';
  if (capabilities.includes('CAPABILITY_NAMED_IAM') || capabilities.includes(needed)) return;
  throw new AwsError('InsufficientCapabilitiesException', `Requires capabilities : [${needed}]`);
}
