import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { digestOf } from '../function/code-digest';
import type { LoggingConfiguration } from '../function/function-configuration';
import { qualified } from '../function/function-name';
import type { FunctionTarget } from '../function/function-target';
import type { FunctionVersion } from '../function/versions';

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
