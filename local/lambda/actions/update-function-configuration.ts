import type { FunctionConfiguration, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { between, check, oneOfSet } from '../constraints';
import type { Desk } from '../desk';
import { invalidParameter, refuse } from '../errors';
import { deadLetterProblem } from '../function/dead-letter-rules';
import { environmentProblem, isKnownTimeZone, variableNames } from '../function/environment-rules';
import {
  type FunctionConfiguration as Configuration,
  type LoggingConfiguration,
  SYSTEM_LOG_LEVELS,
} from '../function/function-configuration';
import { LOG_LEVELS } from '../world/protocol';
import { describeTarget } from './describe-function';
import { checkRevision, onWholeFunction } from './lambda-action';

const ACTION = 'UpdateFunctionConfiguration';

/** What a function has on AWS, and not here. */
const REFUSED = [
  'VpcConfig',
  'KMSKeyArn',
  'TracingConfig',
  'Layers',
  'FileSystemConfigs',
  'ImageConfig',
  'EphemeralStorage',
  'SnapStart',
  'CapacityProviderConfig',
  'DurableConfig',
] as const;

/**
 * Changes `$LATEST`, at once: AWS takes a moment, during which `LastUpdateStatus` is `InProgress`. What runs, runs on; the
 * next invocation has a new execution environment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateFunctionConfiguration.html
 */
export const updateFunctionConfiguration = onWholeFunction<UpdateFunctionConfigurationRequest, FunctionConfiguration>(
  ACTION,
  (target, request, desk) => {
    const { deployed } = target;
    checkRevision(target, request.RevisionId);
    const refused = REFUSED.find(member => request[member] !== undefined);
    if (refused) throw refuse(ACTION, refused);
    check(...constraints(request));
    const changes = changesOf(request, deployed.configuration);
    checkChanges({ ...deployed.configuration, ...changes }, changes, desk);
    deployed.update(changes);
    desk.context.trace.record({ type: 'lambda.function-updated', functionArn: deployed.arn });
    return describeTarget(target);
  },
);

function constraints({ Timeout, MemorySize, LoggingConfig, Environment }: UpdateFunctionConfigurationRequest) {
  const { LogFormat, ApplicationLogLevel, SystemLogLevel } = LoggingConfig ?? {};
  return [
    between('timeout', Timeout, 1, 900),
    between('memorySize', MemorySize, 128, 10_240),
    oneOfSet('loggingConfig.logFormat', LogFormat, ['JSON', 'Text']),
    oneOfSet('loggingConfig.applicationLogLevel', ApplicationLogLevel, LOG_LEVELS),
    oneOfSet('loggingConfig.systemLogLevel', SystemLogLevel, SYSTEM_LOG_LEVELS),
    variableNames(Environment?.Variables ?? {}),
  ];
}

function changesOf(request: UpdateFunctionConfigurationRequest, before: Configuration): Partial<Configuration> {
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
    ...(LoggingConfig && { logging: loggingOf(LoggingConfig, before.logging) }),
  };
}

function loggingOf(
  { LogFormat, LogGroup, ApplicationLogLevel, SystemLogLevel }: NonNullable<FunctionConfiguration['LoggingConfig']>,
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
function checkChanges(after: Configuration, changes: Partial<Configuration>, { context, neighbours }: Desk): void {
  const { roleArn, runtime, variables, deadLetterTargetArn } = after;
  if (!runtime.startsWith('nodejs')) throw refuse(ACTION, `the runtime ${runtime}`);
  const zone = variables['TZ'] ?? 'UTC';
  if (!isKnownTimeZone(zone)) throw refuse(ACTION, `the time zone ${zone}`);
  if (changes.roleArn !== undefined && !neighbours.roles.decideAssumeRole('lambda.amazonaws.com', roleArn).allowed) {
    throw invalidParameter('The role defined for the function cannot be assumed by Lambda.');
  }
  const problem = environmentProblem(variables) ?? deadLetterProblem(deadLetterTargetArn, roleArn, context);
  if (problem) throw problem;
}
