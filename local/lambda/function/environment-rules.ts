import type { AwsError } from '../../kernel/aws-error';
import { invalidParameter } from '../errors';

/** Bytes the variables of a function may have, as JSON. */
const MOST_BYTES = 4096;

/** Variables Lambda sets itself and lets nobody else set. */
const RESERVED: readonly string[] = [
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_DEFAULT_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
];

const NAME = /^[a-zA-Z]([a-zA-Z0-9_])+$/;

/** What the names of variables have to be and are not; those Lambda reserves are told of by themselves. */
export function variableNamesProblem(names: readonly string[]): string | undefined {
  if (names.every(name => NAME.test(name) || RESERVED.includes(name))) return undefined;
  return 'Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]';
}

const BEGINNING =
  'Lambda was unable to configure your environment variables because the environment variables you have provided';

/**
 * What AWS has against the environment variables of a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function environmentProblem(variables: Readonly<Record<string, string>>): AwsError | undefined {
  const reserved = Object.keys(variables).filter(name => RESERVED.includes(name));
  if (reserved.length > 0) {
    return invalidParameter(
      `${BEGINNING} contains reserved keys that are currently not supported for modification. ` +
        `Reserved keys used in this request: ${reserved.join(', ')}`,
    );
  }
  const measured = JSON.stringify(variables);
  if (Buffer.byteLength(measured) <= MOST_BYTES) return undefined;
  return invalidParameter(`${BEGINNING} exceeded the 4KB limit. String measured: ${measured}`);
}

/** Whether a time zone is the one the embedded AWS has. */
export function isKnownTimeZone(zone: string): boolean {
  return /^:?(UTC|Etc\/UTC)$/.test(zone);
}
