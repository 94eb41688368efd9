import { ENV_PROFILE, loadConfig, NODE_REGION_CONFIG_OPTIONS, parseKnownFiles } from '@smithy/core/config';
import {
  AdaptiveRetryStrategy,
  type AdaptiveRetryStrategyOptions,
  DEFAULT_MAX_ATTEMPTS,
  NODE_MAX_ATTEMPT_CONFIG_OPTIONS,
} from '@smithy/core/retry';
import type {
  AbsoluteLocation,
  HandlerExecutionContext,
  InitializeHandlerOptions,
  RetryErrorInfo,
  RetryStrategyV2,
  RetryToken,
  StandardRetryToken,
} from '@smithy/types';
import type { ConnectionOptions } from '../../bin/command-line';
import { callFailureText, type FailedCall } from './calls';

/** What every client is made with. */
export interface ClientSettings {
  readonly region: string;
  readonly profile?: string;
  readonly endpoint?: string;
  /** A client's own: each slows down by what it is told. */
  readonly retryStrategy: RetryStrategyV2;
  /** Of SQS: a queue's URL names AWS's own host, which is not where it is when AWS is elsewhere. */
  readonly useQueueUrlAsEndpoint: false;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

type Next = (call: never) => Promise<unknown>;

/** As much of any client of the SDK as is needed here. */
interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: HandlerExecutionContext) => Next,
      options: InitializeHandlerOptions & AbsoluteLocation,
    ): void;
  };
  destroy(): void;
}

/** AWS, as a command may talk to it. */
export interface Connection {
  readonly region: string;
  /**
   * A client of the SDK. Whatever it throws stays of its class, and says which call failed, why, and what to do.
   *
   * @param isFinal what is thrown as a plain error instead, so that nobody on the way takes it for an answer of AWS and goes
   * on. By default, nothing is.
   * @example const lambda = aws.client(LambdaClient);
   */
  client<Client extends SdkClient>(
    client: new (settings: ClientSettings) => Client,
    isFinal?: (error: Error) => boolean,
  ): Client;
}

/** Our choice: enough for a slow line, and soon enough for who waits. */
const CONNECTION_TIMEOUT_MS = 5_000;

/** Longer than the longest poll of SQS. Our choice. */
const REQUEST_TIMEOUT_MS = 30_000;

/** What IAM calls a service other than the SDK calls its client. */
const SERVICE_PREFIXES: Readonly<Record<string, string>> = { CloudWatchLogs: 'logs', EventBridge: 'events' };

/** And the few calls that have another name as a permission; a batch takes that of its one call. */
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

/** The error stays what it is, for whoever can do something about it; only what it says becomes ours. */
function tellFailures(client: SdkClient, where: Omit<FailedCall, 'action'>, isFinal: (error: Error) => boolean): void {
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
    { step: 'initialize', priority: 'high', name: 'tellFailures' },
  );
}

/** A profile that is not there would have the chain go on, and act as whoever it finds next. */
async function checkProfile(profile: string | undefined): Promise<void> {
  if (profile === undefined) return;
  const known = await parseKnownFiles({ profile });
  if (Object.hasOwn(known, profile)) return;
  const names = Object.keys(known);
  const there = names.length === 0 ? 'none is there' : `there are ${names.join(', ')}`;
  throw new Error(`no profile is named ${profile} in ~/.aws/config or ~/.aws/credentials: ${there}`);
}

/** The environment has been asked before. */
const REGION_OF_PROFILE = { ...NODE_REGION_CONFIG_OPTIONS, environmentVariableSelector: () => undefined };

/** The SDK does not heed AWS_DEFAULT_REGION, as the `aws` command does, whose users have it set; neither heeds an empty one. */
async function regionOf({ region, profile }: ConnectionOptions): Promise<string> {
  const stated = region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION']);
  if (stated) return stated;
  try {
    return await loadConfig(REGION_OF_PROFILE, profile === undefined ? {} : { profile })();
  } catch {
    throw new Error('no Region is known: name a --region, or set AWS_REGION, or the region of the profile');
  }
}

/** Where nobody has stated how often a call is tried. */
const UNSTATED = 0;

/** How often a call is tried, by AWS_MAX_ATTEMPTS or the profile. */
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
 * Does some work that talks to AWS, with the usual credentials, and hangs up.
 *
 * @throws Error when the profile is not there, or no Region is known
 */
export async function connected<T>(options: ConnectionOptions, work: (aws: Connection) => Promise<T>): Promise<T> {
  await checkProfile(options.profile ?? process.env[ENV_PROFILE]);
  const region = await regionOf(options);
  const settings = settingsOf(options, region);
  const attempts = await statedAttempts(options);
  const endpointUrl = options.endpointUrl ?? process.env['AWS_ENDPOINT_URL'];
  const clients: SdkClient[] = [];
  try {
    return await work({
      region,
      client: (Client, isFinal = () => false) => {
        const client = new Client({ ...settings, retryStrategy: retryStrategyOf(attempts) });
        clients.push(client);
        tellFailures(client, { region, ...(endpointUrl !== undefined && { endpointUrl }) }, isFinal);
        return client;
      },
    });
  } finally {
    for (const client of clients) client.destroy();
  }
}

/** Our choice: about a minute of asking again, ever later, before a call that is throttled fails. */
export const MOST_THROTTLED_ATTEMPTS = 10;

/**
 * Asks again, ever later, when AWS throttles, and sends more slowly for a while: an account is read by thousands of calls,
 * and others want their share. What fails for another reason fails as soon as it does by the SDK's own rules.
 */
export class ThrottleRetries extends AdaptiveRetryStrategy {
  /** @param options for tests, which do not wait @default - the SDK's own, by the clock on the wall */
  constructor(options: AdaptiveRetryStrategyOptions = {}) {
    super(MOST_THROTTLED_ATTEMPTS, { maxAttempts: MOST_THROTTLED_ATTEMPTS, ...options });
  }

  override refreshRetryTokenForRetry(token: StandardRetryToken, error: RetryErrorInfo): Promise<RetryToken> {
    const attempts = token.getRetryCount() + 1;
    if (error.errorType !== 'THROTTLING' && attempts >= DEFAULT_MAX_ATTEMPTS) {
      return Promise.reject(new Error('it has been tried often enough'));
    }
    return super.refreshRetryTokenForRetry(token, error);
  }
}
