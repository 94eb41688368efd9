import type { CreateFunctionRequest, FunctionCode, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../../policy/aws-limits';
import { Constraints } from '../../kernel/constraints';
import { checkTags, tagList } from '../../kernel/tags';
import { LOG_LEVELS } from '../environment/protocol';
import { conflict, invalidParameter, LAMBDA_TAGS, refuse } from '../errors';
import { unpack } from '../function/code';
import {
  ARCHITECTURES,
  type FunctionConfiguration as Configuration,
  functionArn,
  LATEST,
  LEAST_STORAGE_MB,
  type LoggingConfiguration,
  MOST_STORAGE_MB,
  SYSTEM_LOG_LEVELS,
  TRACING_MODES,
} from '../function/function-configuration';
import {
  deadLetterProblem,
  environmentProblem,
  isKnownTimeZone,
  variableNamesProblem,
} from '../function/function-rules';
import type { LambdaState } from '../lambda-state';
import { describeFunction, describeTarget, describeVersion } from './describe-function';
import { checkRevision, type LambdaFamily, onFunction, onWholeFunction } from './lambda-action';

const CREATE_ACTION = 'CreateFunction';

const NAME = '[a-zA-Z0-9-_]{1,64}';

const UPDATE_ACTION = 'UpdateFunctionConfiguration';

/**
 * The settings of a new or changed function. Neither `REFUSED` nor
 * `requestedConfiguration` contains the members that have no effect in the embedded AWS.
 */
type FunctionRequest = Partial<CreateFunctionRequest & UpdateFunctionConfigurationRequest>;

/** Members that AWS supports but the embedded AWS does not. */
const REFUSED = [
  'VpcConfig',
  'KMSKeyArn',
  'Layers',
  'FileSystemConfigs',
  'ImageConfig',
  'SnapStart',
  'CapacityProviderConfig',
  'DurableConfig',
  'TenancyConfig',
  'CodeSigningConfigArn',
  'PublishTo',
] as const;

export const functionActions = {
  /**
   * Creates a function from the archive in the request. It is `Active` at once, while on AWS it is `Pending` at first.
   */
  CreateFunction: {
    run: (state, { input: request }) => {
      const { FunctionName: functionName = '', Role = '', Runtime, Handler, Code = {}, PackageType, Tags } = request;
      new Constraints().pattern('functionName', functionName, NAME).check();
      if (PackageType === 'Image' || Code.ImageUri) throw refuse(CREATE_ACTION, 'the package type Image');
      if (!Runtime || !Handler) {
        throw invalidParameter(
          'Runtime and Handler are mandatory parameters for functions created with deployment packages.',
        );
      }
      const logging = {
        logGroup: `/aws/lambda/${functionName}`,
        logFormat: 'Text',
        applicationLogLevel: 'INFO',
        systemLogLevel: 'INFO',
      } as const;
      const said = requestedConfiguration(CREATE_ACTION, request, logging);
      const wanted = {
        functionName,
        functionArn: functionArn(state.context.place, functionName),
        description: '',
        runtime: Runtime,
        handler: Handler,
        roleArn: Role,
        timeoutSeconds: 3,
        memorySizeMb: 128,
        variables: {},
        logging,
        ...said,
      };
      checkFunction(CREATE_ACTION, { ...wanted, version: LATEST, folder: '' }, { roleArn: Role }, state);
      state.functions.checkFree(functionName);
      checkTags(tagList(Tags ?? {}), LAMBDA_TAGS);
      const files = filesOf(CREATE_ACTION, Code);
      const deployed = state.createFunction({
        ...wanted,
        folder: state.codeFolder(files),
        recursiveLoop: 'Terminate',
        tags: Tags,
      });
      if (request.Publish) return describeVersion(deployed.versions.publish());
      return describeFunction(deployed.versions.latest, deployed.arn);
    },
  },

  /**
   * Changes the code of `$LATEST` at once, while on AWS `LastUpdateStatus` is `InProgress` at first. Running invocations
   * continue with the old code.
   */
  UpdateFunctionCode: onWholeFunction(
    (target, { ZipFile, S3Bucket, ImageUri, Architectures, RevisionId, DryRun, Publish }, state) => {
      const { deployed } = target;
      checkRevision(target, RevisionId);
      if (ImageUri !== undefined) throw refuse('UpdateFunctionCode', 'the package type Image');
      checkModel({ Architectures });
      const files = filesOf('UpdateFunctionCode', { ZipFile, S3Bucket });
      if (!DryRun) {
        deployed.update({ folder: state.codeFolder(files), ...(Architectures && { architectures: Architectures }) });
        state.context.trace.record({ type: 'lambda.function-updated', functionArn: deployed.arn });
        if (Publish) return describeVersion(deployed.versions.publish());
      }
      return describeTarget(target);
    },
  ),

  /**
   * Changes `$LATEST` at once, while on AWS `LastUpdateStatus` is `InProgress` at first. Running invocations continue.
   * The next invocation runs in a new execution environment.
   */
  UpdateFunctionConfiguration: onWholeFunction((target, request, state) => {
    const { deployed } = target;
    checkRevision(target, request.RevisionId);
    const changes = requestedConfiguration(UPDATE_ACTION, request, deployed.configuration.logging);
    checkFunction(UPDATE_ACTION, { ...deployed.configuration, ...changes }, changes, state);
    deployed.update(changes);
    state.context.trace.record({ type: 'lambda.function-updated', functionArn: deployed.arn });
    return describeTarget(target);
  }),

  /** Event source mappings of a deleted function remain, but have no function to invoke. */
  DeleteFunction: onFunction(({ deployed, qualifier }, _input, { functions }) => {
    if (qualifier === LATEST) {
      throw invalidParameter('$LATEST version cannot be deleted without deleting the function.');
    }
    if (qualifier === undefined) functions.delete(deployed);
    else {
      const users = deployed.aliases.of(qualifier).map(({ arn }) => arn);
      if (users.length > 0) throw conflict(`Version ${qualifier} is in use by ${users.join(', ')}.`);
      deployed.deleteVersion(qualifier);
    }
    return {};
  }),
} satisfies LambdaFamily;

function filesOf(action: string, { ZipFile, S3Bucket }: FunctionCode): Readonly<Record<string, Uint8Array>> {
  if (S3Bucket !== undefined) throw refuse(action, 'code in S3');
  if (!ZipFile) throw invalidParameter('Please provide a source for function code.');
  const unpacked = unpack(ZipFile);
  if (unpacked.kind === 'files') return unpacked.files;
  throw invalidParameter('Could not unzip uploaded file. Please check your file, then try to upload again.');
}

/**
 * Returns the settings that the request contains. `Architectures`, `EphemeralStorage` and `TracingConfig` are only
 * described: they have no effect, as in templates.
 *
 * @param action the action that the error for an unsupported member names
 */
function requestedConfiguration(
  action: string,
  request: FunctionRequest,
  before: LoggingConfiguration,
): Partial<Configuration> {
  const refused = REFUSED.find(member => request[member] !== undefined);
  if (refused) throw refuse(action, refused);
  checkModel(request);
  return changesOf(request, before);
}

function checkModel(request: FunctionRequest): void {
  const {
    Timeout,
    MemorySize,
    LoggingConfig,
    Environment,
    Architectures = [],
    EphemeralStorage,
    TracingConfig,
  } = request;
  const { LogFormat, ApplicationLogLevel, SystemLogLevel } = LoggingConfig ?? {};
  const constraints = new Constraints()
    .range('timeout', Timeout, 1, MAX_FUNCTION_TIMEOUT_SECONDS)
    .range('memorySize', MemorySize, 128, 10_240)
    .oneOf('loggingConfig.logFormat', LogFormat, ['JSON', 'Text'])
    .oneOf('loggingConfig.applicationLogLevel', ApplicationLogLevel, LOG_LEVELS)
    .oneOf('loggingConfig.systemLogLevel', SystemLogLevel, SYSTEM_LOG_LEVELS)
    .range('ephemeralStorage.size', EphemeralStorage?.Size, LEAST_STORAGE_MB, MOST_STORAGE_MB)
    .oneOf('tracingConfig.mode', TracingConfig?.Mode, TRACING_MODES)
    .length('architectures', request.Architectures, 1, 1);
  for (const architecture of Architectures) constraints.oneOf('architectures', architecture, ARCHITECTURES);
  const names = Object.keys(Environment?.Variables ?? {});
  const rule = variableNamesProblem(names);
  if (rule !== undefined) constraints.breach('environment.variables', names, rule);
  constraints.check();
}

function changesOf(request: FunctionRequest, before: LoggingConfiguration): Partial<Configuration> {
  const { Role, Handler, Description, Timeout, MemorySize, Runtime, Environment, DeadLetterConfig, LoggingConfig } =
    request;
  const { Architectures, EphemeralStorage, TracingConfig } = request;
  return {
    ...(Role !== undefined && { roleArn: Role }),
    ...(Handler !== undefined && { handler: Handler }),
    ...(Description !== undefined && { description: Description }),
    ...(Timeout !== undefined && { timeoutSeconds: Timeout }),
    ...(MemorySize !== undefined && { memorySizeMb: MemorySize }),
    ...(Runtime !== undefined && { runtime: Runtime }),
    ...(Environment && { variables: { ...Environment.Variables }, hasEnvironment: true }),
    // Recorded on AWS: an empty `DeadLetterConfig` leaves the target. An empty `TargetArn` removes it.
    ...(DeadLetterConfig?.TargetArn !== undefined && { deadLetterTargetArn: DeadLetterConfig.TargetArn || undefined }),
    ...(Architectures && { architectures: Architectures }),
    ...(EphemeralStorage && { ephemeralStorageMb: EphemeralStorage.Size }),
    ...(TracingConfig?.Mode && { tracingMode: TracingConfig.Mode }),
    ...(LoggingConfig && { logging: loggingOf(LoggingConfig, before) }),
  };
}

function loggingOf(
  { LogFormat, LogGroup, ApplicationLogLevel, SystemLogLevel }: NonNullable<FunctionRequest['LoggingConfig']>,
  before: LoggingConfiguration,
): LoggingConfiguration {
  return {
    logFormat: LogFormat ?? before.logFormat,
    logGroup: LogGroup ?? before.logGroup,
    applicationLogLevel: ApplicationLogLevel ?? before.applicationLogLevel,
    systemLogLevel: SystemLogLevel ?? before.systemLogLevel,
  };
}

function checkFunction(
  action: string,
  after: Configuration,
  changes: Partial<Configuration>,
  { context, dependencies }: LambdaState,
): void {
  const { roleArn, runtime, variables, deadLetterTargetArn } = after;
  if (!runtime.startsWith('nodejs')) throw refuse(action, `the runtime ${runtime}`);
  const zone = variables['TZ'] ?? 'UTC';
  if (!isKnownTimeZone(zone)) throw refuse(action, `the time zone ${zone}`);
  if (changes.roleArn !== undefined && !dependencies.roles.decideAssumeRole('lambda.amazonaws.com', roleArn).allowed) {
    throw invalidParameter('The role defined for the function cannot be assumed by Lambda.');
  }
  const problem = environmentProblem(variables) ?? deadLetterProblem(deadLetterTargetArn, roleArn, context);
  if (problem) throw problem;
}
