import { ENV_PROFILE, loadConfig, NODE_REGION_CONFIG_OPTIONS, parseKnownFiles } from '@smithy/core/config';
import {
  AdaptiveRetryStrategy,
  type AdaptiveRetryStrategyOptions,
  DEFAULT_MAX_ATTEMPTS,
  NODE_MAX_ATTEMPT_CONFIG_OPTIONS,
} from '@smithy/core/retry';
import type {
  AbsoluteLocation,
  AwsCredentialIdentity,
  HandlerExecutionContext,
  InitializeHandlerOptions,
  RetryErrorInfo,
  RetryStrategyV2,
  RetryToken,
  StandardRetryToken,
} from '@smithy/types';
import { assumedRole } from './assumed-role';
import { callFailureText, type FailedCall } from './calls';

/** The settings of every client. */
export interface ClientSettings {
  readonly region: string;
  readonly profile?: string;
  readonly endpoint?: string;
  /** Each client has its own, because it adapts its rate to the throttling it sees. */
  readonly retryStrategy: RetryStrategyV2;
  /** Those of an assumed role. @default - by the profile, or the default credential chain */
  readonly credentials?: () => Promise<AwsCredentialIdentity>;
  /** For SQS. The host in a queue URL is wrong when a custom endpoint is used. */
  readonly useQueueUrlAsEndpoint: false;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

type Next = (call: never) => Promise<unknown>;

/** The parts of an SDK client that are used here. */
interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: HandlerExecutionContext) => Next,
      options: InitializeHandlerOptions & AbsoluteLocation,
    ): void;
  };
  destroy(): void;
}

/** A connection to one Region of an AWS account. */
export interface Connection {
  readonly region: string;
  /**
   * Creates an SDK client. Its errors keep their class, and their message says which call failed, why, and what to do.
   *
   * @param isFinal selects errors that are rethrown as a plain `Error`, so that no code on the way handles them as a response of
   * AWS. By default, none are.
   * @example const lambda = aws.client(LambdaClient);
   */
  client<Client extends SdkClient>(
    client: new (settings: ClientSettings) => Client,
    isFinal?: (error: Error) => boolean,
  ): Client;
}

/** Long enough for a slow line, and short enough for a waiting user. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** Longer than the longest poll of SQS. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Services whose IAM prefix differs from the name of the SDK client. */
const SERVICE_PREFIXES: Readonly<Record<string, string>> = { CloudWatchLogs: 'logs', EventBridge: 'events' };

/** Calls whose permission has another name. A batch call needs the permission of the single call. */
const ACTIONS: Readonly<Record<string, string>> = {
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  DeleteMessageBatch: 'DeleteMessage',
  Invoke: 'InvokeFunction',
  SendMessageBatch: 'SendMessage',
};

function actionOf({ clientName = '', commandName = '' }: HandlerExecutionContext): string {
  const service = clientName.replace(/Client$/, '');
  const call = commandName.replace(/Command$/, '');
  return `${SERVICE_PREFIXES[service] ?? service.toLowerCase()}:${ACTIONS[call] ?? call}`;
}

/** Replaces the messages of errors, but not their class, so that callers can still handle them. */
function explainFailures(
  client: SdkClient,
  where: Omit<FailedCall, 'action'>,
  isFinal: (error: Error) => boolean,
): void {
  client.middlewareStack.add(
    (next, context) => async call => {
      try {
        return await next(call);
      } catch (error) {
        const text = callFailureText(error, { action: actionOf(context), ...where });
        if (!(error instanceof Error)) throw new Error(text);
        if (isFinal(error)) throw new Error(text, { cause: error });
        error.message = text;
        throw error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'explainFailures' },
  );
}

/** Without this check, the credential chain would skip a missing profile and use other credentials. */
async function checkProfile(profile: string | undefined): Promise<void> {
  if (profile === undefined) return;
  const known = await parseKnownFiles({ profile });
  if (Object.hasOwn(known, profile)) return;
  const names = Object.keys(known);
  const there = names.length === 0 ? 'there are none' : `the profiles are ${names.join(', ')}`;
  throw new Error(`no profile is named ${profile} in ~/.aws/config or ~/.aws/credentials: ${there}`);
}

/** The environment was checked before. */
const REGION_OF_PROFILE = { ...NODE_REGION_CONFIG_OPTIONS, environmentVariableSelector: () => undefined };

/**
 * The Region that the options, the environment or the profile name. Undefined if none does. The `aws` command uses
 * AWS_DEFAULT_REGION, but the SDK does not. Both ignore empty variables.
 */
export async function configuredRegion({ region, profile }: ConnectionOptions): Promise<string | undefined> {
  const stated = region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION']);
  if (stated) return stated;
  const options = { ...REGION_OF_PROFILE, default: '' };
  return (await loadConfig(options, profile === undefined ? {} : { profile })()) || undefined;
}

async function regionOf(options: ConnectionOptions): Promise<string> {
  const region = await configuredRegion(options);
  if (region !== undefined) return region;
  throw new Error('no Region is configured: use --region, or set AWS_REGION or the region of the profile');
}

/** The number of attempts is not configured. */
const UNSTATED = 0;

/** The number of attempts that AWS_MAX_ATTEMPTS or the profile configure. */
function statedAttempts({ profile }: ConnectionOptions): Promise<number> {
  const options = { ...NODE_MAX_ATTEMPT_CONFIG_OPTIONS, default: UNSTATED };
  return loadConfig(options, profile === undefined ? {} : { profile })();
}

function retryStrategyOf(attempts: number): RetryStrategyV2 {
  return attempts === UNSTATED ? new ThrottleRetries() : new AdaptiveRetryStrategy(async () => attempts);
}

function settingsOf(
  { profile, endpointUrl }: ConnectionOptions,
  region: string,
): Omit<ClientSettings, 'retryStrategy'> {
  return {
    region,
    ...(profile !== undefined && { profile }),
    ...(endpointUrl !== undefined && { endpoint: endpointUrl }),
    useQueueUrlAsEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  };
}

/**
 * Runs an operation with a connection to AWS, and closes the connection.
 *
 * @throws Error when the profile does not exist, or no Region is configured
 */
export async function connected<T>(options: ConnectionOptions, work: (aws: Connection) => Promise<T>): Promise<T> {
  await checkProfile(options.profile ?? process.env[ENV_PROFILE]);
  const region = await regionOf(options);
  const ownSettings = settingsOf(options, region);
  const attempts = await statedAttempts(options);
  const { roleArn } = options;
  const settings = {
    ...ownSettings,
    ...(roleArn !== undefined && {
      credentials: assumedRole(roleArn, { ...ownSettings, retryStrategy: retryStrategyOf(attempts) }),
    }),
  };
  const endpointUrl = options.endpointUrl ?? process.env['AWS_ENDPOINT_URL'];
  const clients: SdkClient[] = [];
  try {
    return await work({
      region,
      client: (Client, isFinal = () => false) => {
        const client = new Client({ ...settings, retryStrategy: retryStrategyOf(attempts) });
        clients.push(client);
        explainFailures(client, { region, ...(endpointUrl !== undefined && { endpointUrl }) }, isFinal);
        return client;
      },
    });
  } finally {
    for (const client of clients) client.destroy();
  }
}

/** A throttled call fails after about a minute of retries. */
export const MAX_THROTTLED_ATTEMPTS = 10;

/**
 * Retries throttled calls more often than the SDK does, with growing pauses, and slows down for a while. Reading an account takes
 * thousands of calls. Other errors fail after the SDK's default number of attempts.
 */
export class ThrottleRetries extends AdaptiveRetryStrategy {
  /** @param options for tests, which do not wait. @default - the SDK's own */
  constructor(options: AdaptiveRetryStrategyOptions = {}) {
    super(MAX_THROTTLED_ATTEMPTS, { maxAttempts: MAX_THROTTLED_ATTEMPTS, ...options });
  }

  override refreshRetryTokenForRetry(token: StandardRetryToken, error: RetryErrorInfo): Promise<RetryToken> {
    const attempts = token.getRetryCount() + 1;
    if (error.errorType !== 'THROTTLING' && attempts >= DEFAULT_MAX_ATTEMPTS) {
      return Promise.reject(new Error('no attempts are left'));
    }
    return super.refreshRetryTokenForRetry(token, error);
  }
}

/** The AWS account and endpoint to use. What is left out is looked up as the SDK does. */
export interface ConnectionOptions {
  readonly profile?: string;
  readonly region?: string;
  readonly endpointUrl?: string;
  /** A role that these credentials assume. @default - none */
  readonly roleArn?: string;
}
