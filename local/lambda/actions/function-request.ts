import type { CreateFunctionRequest, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import type { LambdaInternals } from '../desk';
import { invalidParameter, refuse } from '../errors';
import { deadLetterProblem } from '../function/dead-letter-rules';
import { environmentProblem, isKnownTimeZone, variableNamesProblem } from '../function/environment-rules';
import {
  type FunctionConfiguration as Configuration,
  type LoggingConfiguration,
  SYSTEM_LOG_LEVELS,
} from '../function/function-configuration';
import { LOG_LEVELS } from '../world/protocol';

/** What one says of a function, new or changed. What it has on AWS and nothing comes of here is in neither list below. */
export type FunctionRequest = Partial<CreateFunctionRequest & UpdateFunctionConfigurationRequest>;

/** What a function has on AWS, and not here. */
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

/**
 * What is said, with nothing for what is not. `Architectures`, `EphemeralStorage` and `TracingConfig` change nothing, as in
 * templates.
 *
 * @param action for what is refused by name
 * @throws AwsError `ValidationException`, or a 501 for what is not implemented
 */
export function requestedConfiguration(
  action: string,
  request: FunctionRequest,
  before: LoggingConfiguration,
): Partial<Configuration> {
  const refused = REFUSED.find(member => request[member] !== undefined);
  if (refused) throw refuse(action, refused);
  checkModel(request);
  return changesOf(request, before);
}

function checkModel({ Timeout, MemorySize, LoggingConfig, Environment }: FunctionRequest): void {
  const { LogFormat, ApplicationLogLevel, SystemLogLevel } = LoggingConfig ?? {};
  const constraints = lambdaConstraints()
    .range('timeout', Timeout, 1, 900)
    .range('memorySize', MemorySize, 128, 10_240)
    .oneOf('loggingConfig.logFormat', LogFormat, ['JSON', 'Text'])
    .oneOf('loggingConfig.applicationLogLevel', ApplicationLogLevel, LOG_LEVELS)
    .oneOf('loggingConfig.systemLogLevel', SystemLogLevel, SYSTEM_LOG_LEVELS);
  const names = Object.keys(Environment?.Variables ?? {});
  const rule = variableNamesProblem(names);
  if (rule !== undefined) constraints.breach('environment.variables', names, rule);
  constraints.check();
}

function changesOf(request: FunctionRequest, before: LoggingConfiguration): Partial<Configuration> {
  const { Role, Handler, Description, Timeout, MemorySize, Runtime, Environment, DeadLetterConfig, LoggingConfig } =
    request;
  return {
    ...(Role !== undefined && { roleArn: Role }),
    ...(Handler !== undefined && { handler: Handler }),
    ...(Description !== undefined && { description: Description }),
    ...(Timeout !== undefined && { timeoutSeconds: Timeout }),
    ...(MemorySize !== undefined && { memorySizeMb: MemorySize }),
    ...(Runtime !== undefined && { runtime: Runtime }),
    ...(Environment && { variables: { ...Environment.Variables } }),
    ...(DeadLetterConfig && { deadLetterTargetArn: DeadLetterConfig.TargetArn || undefined }),
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

/** @throws AwsError as AWS answers, or a 501 for a runtime or time zone there is none of here */
export function checkFunction(
  action: string,
  after: Configuration,
  changes: Partial<Configuration>,
  { context, neighbours }: LambdaInternals,
): void {
  const { roleArn, runtime, variables, deadLetterTargetArn } = after;
  if (!runtime.startsWith('nodejs')) throw refuse(action, `the runtime ${runtime}`);
  const zone = variables['TZ'] ?? 'UTC';
  if (!isKnownTimeZone(zone)) throw refuse(action, `the time zone ${zone}`);
  if (changes.roleArn !== undefined && !neighbours.roles.decideAssumeRole('lambda.amazonaws.com', roleArn).allowed) {
    throw invalidParameter('The role defined for the function cannot be assumed by Lambda.');
  }
  const problem = environmentProblem(variables) ?? deadLetterProblem(deadLetterTargetArn, roleArn, context);
  if (problem) throw problem;
}
