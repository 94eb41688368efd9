import type {
  FunctionConfiguration,
  GetFunctionConfigurationRequest,
  GetFunctionRequest,
  GetFunctionResponse,
  ListFunctionsRequest,
  ListFunctionsResponse,
  ListVersionsByFunctionRequest,
  ListVersionsByFunctionResponse,
  PublishVersionRequest,
} from '@aws-sdk/client-lambda';
import { lambdaConstraints, refuse } from '../errors';
import { digestOf } from '../function/code';
import type { FunctionTarget } from '../function/deployed-function';
import { type LoggingConfiguration, qualified } from '../function/function-configuration';
import type { FunctionVersion } from '../function/versions';
import { checkRevision, onAnything, onFunction, pageAsked } from './lambda-action';

/** Where the code lies is not told: it is a folder of this machine. */
export const getFunction = onFunction<GetFunctionRequest, GetFunctionResponse>('GetFunction', target => {
  const { tags, reservedConcurrency } = target.deployed;
  return {
    Configuration: describeTarget(target),
    Code: { RepositoryType: 'S3' },
    ...(tags.size > 0 && { Tags: tags.record() }),
    ...(reservedConcurrency !== undefined && {
      Concurrency: { ReservedConcurrentExecutions: reservedConcurrency },
    }),
  };
});

export const getFunctionConfiguration = onFunction<GetFunctionConfigurationRequest, FunctionConfiguration>(
  'GetFunctionConfiguration',
  describeTarget,
);

export const listFunctions = onAnything<ListFunctionsRequest, ListFunctionsResponse>(
  'ListFunctions',
  ({ functions }, input) => {
    lambdaConstraints().oneOf('functionVersion', input.FunctionVersion, ['ALL']).check();
    const all =
      input.FunctionVersion === 'ALL'
        ? functions.all().flatMap(({ versions }) => versions.all().map(describeVersion))
        : functions.all().map(({ arn, versions }) => describeFunction(versions.latest, arn));
    const { items, nextToken } = pageAsked(all, input, 50);
    return { Functions: items, NextMarker: nextToken };
  },
);

export const listVersionsByFunction = onFunction<ListVersionsByFunctionRequest, ListVersionsByFunctionResponse>(
  'ListVersionsByFunction',
  ({ deployed }, input) => {
    const { items, nextToken } = pageAsked(deployed.versions.all(), input, 50);
    return { Versions: items.map(describeVersion), NextMarker: nextToken };
  },
);

export const publishVersion = onFunction<PublishVersionRequest, FunctionConfiguration>(
  'PublishVersion',
  (target, { CodeSha256, Description, RevisionId, PublishTo }) => {
    if (PublishTo) throw refuse('PublishVersion', 'PublishTo');
    const { versions, configuration } = target.deployed;
    checkRevision(target, RevisionId);
    if (CodeSha256 !== undefined) versions.checkCode(CodeSha256, digestOf(configuration).sha256);
    return describeVersion(versions.publish(Description));
  },
);

/**
 * A version as clients are told of it. What the embedded AWS does not keep, such as the architecture, is left out.
 *
 * @param arn of the version, or of the alias one has asked by
 */
export function describeFunction({ configuration, lastModifiedMs, revisionId }: FunctionVersion, arn: string) {
  const { deadLetterTargetArn, variables, logging } = configuration;
  const { sha256, bytes } = digestOf(configuration);
  return {
    FunctionName: configuration.functionName,
    FunctionArn: arn,
    Runtime: configuration.runtime as NonNullable<FunctionConfiguration['Runtime']>,
    Role: configuration.roleArn,
    Handler: configuration.handler,
    CodeSize: bytes,
    CodeSha256: sha256,
    Description: configuration.description,
    Timeout: configuration.timeoutSeconds,
    MemorySize: configuration.memorySizeMb,
    LastModified: lambdaInstant(lastModifiedMs),
    Version: configuration.version,
    ...(deadLetterTargetArn && { DeadLetterConfig: { TargetArn: deadLetterTargetArn } }),
    ...(Object.keys(variables).length > 0 && { Environment: { Variables: { ...variables } } }),
    RevisionId: revisionId,
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
    LoggingConfig: describeLogging(logging),
  } satisfies FunctionConfiguration;
}

/** The version a target stands for, under the ARN it was asked by. */
export function describeTarget(target: FunctionTarget): FunctionConfiguration {
  const { deployed } = target;
  const version = deployed.versions.find(target.configuration.version) ?? deployed.versions.latest;
  return describeFunction(version, target.invokedArn);
}

/** A version under its own ARN, as listings and `PublishVersion` tell of it. */
export function describeVersion(version: FunctionVersion): FunctionConfiguration {
  const { functionArn, version: number } = version.configuration;
  return describeFunction(version, qualified(functionArn, number));
}

/** `2026-01-01T00:00:00.000+0000`, as Lambda alone writes an instant. */
function lambdaInstant(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '+0000');
}

function describeLogging({ logFormat, logGroup, applicationLogLevel, systemLogLevel }: LoggingConfiguration) {
  const levels = logFormat === 'JSON' && {
    ApplicationLogLevel: applicationLogLevel,
    SystemLogLevel: systemLogLevel,
  };
  return { LogFormat: logFormat, LogGroup: logGroup, ...levels };
}
