import { createHash } from 'node:crypto';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { formatArn, parseArn } from '../../../policy/arn';
import { Constraints } from '../../kernel/constraints';
import { refuse } from '../errors';
import { digestOf } from '../function/code';
import type { FunctionTarget } from '../function/deployed-function';
import { LEAST_STORAGE_MB, type LoggingConfiguration, qualified } from '../function/function-configuration';
import type { FunctionVersion } from '../function/versions';
import { checkRevision, type LambdaFamily, onFunction, pageAsked } from './lambda-action';

export const describeFunctionActions = {
  /** Does not return the location of the code, which is a folder of this machine. */
  GetFunction: onFunction(target => {
    const { tags, reservedConcurrency } = target.deployed;
    return {
      Configuration: describeTarget(target),
      Code: { RepositoryType: 'S3' },
      ...(tags.size > 0 && { Tags: tags.record() }),
      ...(reservedConcurrency !== undefined && {
        Concurrency: { ReservedConcurrentExecutions: reservedConcurrency },
      }),
    };
  }),

  GetFunctionConfiguration: onFunction(describeTarget),

  ListFunctions: {
    run: ({ functions }, { input }) => {
      new Constraints().oneOf('functionVersion', input.FunctionVersion, ['ALL']).check();
      const all =
        input.FunctionVersion === 'ALL'
          ? functions.all().flatMap(({ versions }) => versions.all().map(describeVersion))
          : functions.all().map(({ arn, versions }) => describeFunction(versions.latest, arn));
      const { items, nextToken } = pageAsked(all, input, 50);
      return { Functions: items.map(listed), NextMarker: nextToken };
    },
  },

  ListVersionsByFunction: onFunction(({ deployed }, input) => {
    const { items, nextToken } = pageAsked(deployed.versions.all(), input, 50);
    return { Versions: items.map(describeVersion), NextMarker: nextToken };
  }),

  PublishVersion: onFunction((target, { CodeSha256, Description, RevisionId, PublishTo }) => {
    if (PublishTo) throw refuse('PublishVersion', 'PublishTo');
    const { versions, configuration } = target.deployed;
    checkRevision(target, RevisionId);
    if (CodeSha256 !== undefined) versions.checkCode(CodeSha256, digestOf(configuration).sha256);
    return describeVersion(versions.publish(Description));
  }),
} satisfies LambdaFamily;

/**
 * Describes a version as Lambda's responses do.
 *
 * @param arn of the version, or of the alias that the request names
 */
export function describeFunction({ configuration, lastModifiedMs, revisionId }: FunctionVersion, arn: string) {
  const { deadLetterTargetArn, variables, logging } = configuration;
  const {
    architectures = ['x86_64'],
    ephemeralStorageMb = LEAST_STORAGE_MB,
    tracingMode = 'PassThrough',
  } = configuration;
  const hasEnvironment = configuration.hasEnvironment === true || Object.keys(variables).length > 0;
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
    ...(hasEnvironment && { Environment: { Variables: { ...variables } } }),
    Architectures: [...architectures],
    EphemeralStorage: { Size: ephemeralStorageMb },
    SnapStart: { ApplyOn: 'None', OptimizationStatus: 'Off' },
    TracingConfig: { Mode: tracingMode },
    RuntimeVersionConfig: { RuntimeVersionArn: runtimeVersionArn(configuration) },
    RevisionId: revisionId,
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
    LoggingConfig: describeLogging(logging),
  } satisfies FunctionConfiguration;
}

/** Describes the version that a function, version or alias stands for, with the ARN that the request named. */
export function describeTarget(target: FunctionTarget): FunctionConfiguration {
  const { deployed } = target;
  const version = deployed.versions.find(target.configuration.version) ?? deployed.versions.latest;
  return describeFunction(version, target.invokedArn);
}

/** Describes a version with its own ARN, as listings and `PublishVersion` do. */
export function describeVersion(version: FunctionVersion): FunctionConfiguration {
  const { functionArn, version: number } = version.configuration;
  return describeFunction(version, qualified(functionArn, number));
}

/**
 * Describes a function as `ListFunctions` does, which "returns a subset of the FunctionConfiguration fields".
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_ListFunctions.html
 */
function listed({
  State: _state,
  LastUpdateStatus: _status,
  RuntimeVersionConfig: _runtime,
  ...rest
}: FunctionConfiguration): FunctionConfiguration {
  return rest;
}

/**
 * **Assumption LAMBDA-16:** AWS does not publish the versions of its runtimes in a list. Here the version is derived
 * from the runtime's name.
 */
function runtimeVersionArn({ functionArn, runtime }: FunctionVersion['configuration']): string {
  const { partition = '', region = '' } = parseArn(functionArn) ?? {};
  const digest = createHash('sha256').update(runtime).digest('hex');
  return formatArn({ partition, service: 'lambda', region, account: '', resource: `runtime:${digest}` });
}

/** Formats an instant as only Lambda does: `2026-01-01T00:00:00.000+0000`. */
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
