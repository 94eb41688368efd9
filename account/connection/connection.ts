import { AssumeRoleCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import {
  ENV_PROFILE,
  loadConfig,
  loadSharedConfigFiles,
  NODE_REGION_CONFIG_OPTIONS,
  parseKnownFiles,
} from '@smithy/core/config';
import { NODE_MAX_ATTEMPT_CONFIG_OPTIONS } from '@smithy/core/retry';
import type {
  AbsoluteLocation,
  AwsCredentialIdentity,
  FinalizeRequestHandlerOptions,
  HandlerExecutionContext,
  InitializeHandlerOptions,
  RetryStrategyV2,
} from '@smithy/types';
import { nowMs, random, wait } from '../../mover/aws/clock';
import { MINUTE_MS } from '../../policy/time-units';
import { messageOf } from '../errors';
import { CallPaces, type Throttling } from './call-pace';
import { callFailureText, type FailedCall, failedActionOf, rememberAction } from './calls';
import { type RetryClock, TimedRetries } from './retries';
import { UnreadCalls } from './unread-calls';

/** How the sessions of this command appear in CloudTrail. */
const SESSION_NAME = 'dlo';

/** Credentials are replaced before they end, because a call takes a while. */
const SPARE_MS = MINUTE_MS;

async function assume(roleArn: string, settings: STSClientConfig): Promise<AwsCredentialIdentity> {
  const sts = new STSClient(settings);
  try {
    const asked = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: SESSION_NAME });
    const {
      AccessKeyId = '',
      SecretAccessKey = '',
      SessionToken,
      Expiration,
    } = (await sts.send(asked)).Credentials ?? {};
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(SessionToken !== undefined && { sessionToken: SessionToken }),
      ...(Expiration && { expiration: new Date(Expiration.getTime() - SPARE_MS) }),
    };
  } catch (error) {
    throw new Error(`the role ${roleArn} cannot be assumed: ${messageOf(error)}`);
  } finally {
    sts.destroy();
  }
}

/**
 * Credentials of a role, which the caller's own credentials assume when they are first needed. All clients of a connection share
 * them. It needs the permission `sts:AssumeRole`.
 */
function assumedRole(roleArn: string, settings: STSClientConfig): () => Promise<AwsCredentialIdentity> {
  let assumed: Promise<AwsCredentialIdentity> | undefined;
  return async () => {
    assumed ??= assume(roleArn, settings);
    const credentials = await assumed;
    // The client asks again when its credentials have expired.
    if (credentials.expiration && credentials.expiration.getTime() <= nowMs()) assumed = assume(roleArn, settings);
    return assumed;
  };
}

export interface ClientSettings {
  readonly region: string;
  readonly profile?: string;
  readonly endpoint?: string;
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

interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: HandlerExecutionContext) => Next,
      options: InitializeHandlerOptions & AbsoluteLocation,
    ): void;
    add(
      middleware: (next: Next, context: HandlerExecutionContext) => Next,
      options: FinalizeRequestHandlerOptions & AbsoluteLocation,
    ): void;
  };
  destroy(): void;
}

/** A connection to one Region of an AWS account. */
export interface Connection {
  readonly region: string;
  /** What the command could not read, and can do without. */
  readonly unread: UnreadCalls;
  /** @default - it is unknown which calls AWS throttles */
  readonly throttling?: Throttling;
  /**
   * Returns an SDK client, one of each kind. Its errors keep their class, and their message says which call failed, why, and what to do.
   *
   * @param isFinal selects errors that are rethrown as a plain `Error`, so that no code on the way handles them as a response of
   * AWS. By default, none are.
   * @example const lambda = aws.client(LambdaClient);
   */
  client<Client extends SdkClient>(client: new (settings: ClientSettings) => Client, isFinal?: IsFinal): Client;
}

type IsFinal = (error: Error) => boolean;

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
function explainFailures(client: SdkClient, where: Omit<FailedCall, 'action'>, isFinal: IsFinal): void {
  client.middlewareStack.add(
    (next, context) => async call => {
      try {
        return await next(call);
      } catch (error) {
        // Calls share the error of a role that cannot be assumed.
        if (failedActionOf(error) !== undefined) throw error;
        const action = actionOf(context);
        const text = callFailureText(error, { action, ...where });
        if (!(error instanceof Error)) throw new Error(text);
        rememberAction(error, action);
        if (isFinal(error)) throw new Error(text, { cause: error });
        error.message = text;
        throw error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'explainFailures' },
  );
}

/** The SDK keeps the first text of these files. A console runs for days, while credentials are renewed there. */
const readSharedFiles = (): Promise<unknown> => loadSharedConfigFiles({ ignoreCache: true });

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
const REGION_OF_PROFILE = () => ({ ...NODE_REGION_CONFIG_OPTIONS, environmentVariableSelector: () => undefined });

/**
 * The Region that the options, the environment or the profile name. Undefined if none does. The `aws` command uses
 * AWS_DEFAULT_REGION, but the SDK does not. Both ignore empty variables.
 */
export async function configuredRegion({ region, profile }: ConnectionOptions): Promise<string | undefined> {
  const stated = region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION']);
  if (stated) return stated;
  const options = { ...REGION_OF_PROFILE(), default: '' };
  return (await loadConfig(options, profile === undefined ? {} : { profile })()) || undefined;
}

async function regionOf(options: ConnectionOptions): Promise<string> {
  const region = await configuredRegion(options);
  if (region !== undefined) return region;
  throw new Error('no Region is configured: use --region, or set AWS_REGION or the region of the profile');
}

/** The number of attempts is not configured. */
const UNSTATED = 0;

/** The number of attempts that AWS_MAX_ATTEMPTS or the profile configure. Undefined when they do not. */
async function statedAttempts({ profile }: ConnectionOptions): Promise<number | undefined> {
  const options = { ...NODE_MAX_ATTEMPT_CONFIG_OPTIONS, default: UNSTATED };
  const stated = await loadConfig(options, profile === undefined ? {} : { profile })();
  return stated === UNSTATED ? undefined : stated;
}

/** Paces each attempt, also the repeated ones: this priority comes after the SDK's retries. */
function paceCalls(client: SdkClient, paces: CallPaces, { answered = () => {} }: RetryClock): void {
  const tell = (headers: RawResponse['headers'] = {}) => {
    const atMs = Date.parse(headers['date'] ?? '');
    if (!Number.isNaN(atMs)) answered(atMs);
  };
  const attempt = async (next: Next, call: never): Promise<unknown> => {
    try {
      const answer = await next(call);
      tell((answer as { readonly response?: RawResponse }).response?.headers);
      return answer;
    } catch (error) {
      tell((error as { readonly $response?: RawResponse }).$response?.headers);
      throw error;
    }
  };
  client.middlewareStack.add((next, context) => call => paces.paced(actionOf(context), () => attempt(next, call)), {
    step: 'finalizeRequest',
    priority: 'low',
    name: 'paceCalls',
  });
}

/** A response before the SDK parses it. */
interface RawResponse {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The machine's own time. */
export const REAL_CLOCK: RetryClock = { nowMs, wait, random };

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
 * @param clock the time that retries go by. @default - the machine's
 * @param credentials of the caller. @default - those that the options name
 * @throws Error when the profile does not exist, or no Region is configured
 */
export async function connected<T>(
  options: ConnectionOptions,
  work: (aws: Connection) => Promise<T>,
  clock: RetryClock = REAL_CLOCK,
  credentials?: AwsCredentialIdentity,
): Promise<T> {
  await readSharedFiles();
  await checkProfile(options.profile ?? process.env[ENV_PROFILE]);
  const region = await regionOf(options);
  const retryStrategy = new TimedRetries(clock, await statedAttempts(options));
  const own = {
    ...settingsOf(options, region),
    retryStrategy,
    ...(credentials && { credentials: async () => credentials }),
  };
  const { roleArn } = options;
  const settings = { ...own, ...(roleArn !== undefined && { credentials: assumedRole(roleArn, own) }) };
  const endpointUrl = options.endpointUrl ?? process.env['AWS_ENDPOINT_URL'];
  const where = { region, ...(endpointUrl !== undefined && { endpointUrl }) };
  const paces = new CallPaces(clock);
  const clients: SdkClient[] = [];
  const shared = new Map<unknown, SdkClient>();
  const made = <Client extends SdkClient>(Client: new (from: ClientSettings) => Client, isFinal: IsFinal): Client => {
    const client = new Client(settings);
    clients.push(client);
    explainFailures(client, where, isFinal);
    paceCalls(client, paces, clock);
    return client;
  };
  try {
    return await work({
      region,
      unread: new UnreadCalls(),
      throttling: paces.throttling,
      client: (Client, isFinal) => {
        if (isFinal) return made(Client, isFinal);
        const known = shared.get(Client);
        if (known instanceof Client) return known;
        const client = made(Client, () => false);
        shared.set(Client, client);
        return client;
      },
    });
  } finally {
    for (const client of clients) client.destroy();
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
