import type { SessionCredentials } from '../../kernel/credentials';
import type { FunctionConfiguration } from '../function/function-configuration';

/**
 * The environment variables of a function: its own, and those Lambda reserves, which win.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function environmentVariables(
  configuration: FunctionConfiguration,
  { accessKeyId, secretAccessKey, sessionToken }: SessionCredentials,
  { region, logStream }: { readonly region: string; readonly logStream: string },
): Readonly<Record<string, string>> {
  const { functionName, version, memorySizeMb, runtime, handler, folder, logging, variables } = configuration;
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
    NODE_PATH: '/opt/nodejs/node_modules:/var/runtime/node_modules:/var/runtime:/var/task',
    AWS_DEFAULT_REGION: region,
    ...variables,
    _HANDLER: handler,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySizeMb),
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: logging.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    // The code's folder on this machine, so that files beside the handler are found; logs say /var/task.
    LAMBDA_TASK_ROOT: folder,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
  };
}
