import { isThrottlingError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { messageOf } from '../errors';
import { UNREADABLE } from './retries';

export interface FailedCall {
  /** The IAM name of the action: `lambda:ListFunctions`. */
  readonly action: string;
  readonly region: string;
  /** @default - AWS's own */
  readonly endpointUrl?: string;
}

/** The known facts about an error of an AWS client. */
interface CallFailure {
  readonly error: SdkError;
  readonly message: string;
  /** Node's error code, when the connection failed. */
  readonly code: string;
  /** @default 1 */
  readonly attempts: number;
}

interface Rule {
  applies(failure: CallFailure): boolean;
  says(failure: CallFailure, call: FailedCall): string;
}

const DENIED = /AccessDenied|AuthorizationError|UnauthorizedOperation/;

/** Whether AWS denied a call because a permission is missing. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && DENIED.test(error.name);
}

const NO_PROVIDER = /^(Credentials|Token)ProviderError$/;

const CREDENTIALS_REFUSED =
  /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|RequestExpired|InvalidAccessKeyId/;

/** Whether AWS refuses the credentials, or there are none. Then no call can be answered. */
export function areCredentialsRefused(error: Error): boolean {
  return CREDENTIALS_REFUSED.test(error.name) || NO_PROVIDER.test(error.name);
}

const NO_QUEUE = /QueueDoesNotExist|NonExistentQueue/;

/** In a Region that is not enabled, AWS does not know the account's credentials. */
const UNKNOWN_CREDENTIALS = /InvalidClientTokenId|UnrecognizedClient/;

const UNREACHABLE = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)\b/;

/** Whether a call got no answer from the network. */
export function isUnreachable(error: Error): boolean {
  const { code } = error as { readonly code?: unknown };
  return UNREACHABLE.test(`${String(code)} ${error.message}`) || error.name === 'TimeoutError';
}

/** The SDK begins the message with this when Node throws something that it cannot extend. */
const SDK_WRAPPER = /^AWS SDK error wrapper for /;

const NO_CREDENTIALS =
  'no AWS credentials were found: name a --profile, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

/** The message of the credential chain when all its providers failed. */
const CHAIN_ENDED = 'Could not load credentials from any providers';

/** AWS names the missing permission, which can differ from that of the call, and the resource. */
const MISSING_PERMISSION = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (\S+))?/;

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** The error comes from KMS, which does not always name the permission. */
const OF_A_KEY = /^KMS|^Kms|\bAWSKMS\b/;

/** Actions that encrypt, which needs another permission on the key than decrypting. */
const ENCRYPTING: ReadonlySet<string> = new Set(['sqs:SendMessage', 'sns:Publish']);

function actionsOnKey(action: string): string | readonly string[] {
  return ENCRYPTING.has(action) ? ['kms:GenerateDataKey', 'kms:Decrypt'] : 'kms:Decrypt';
}

function missingGrant({ error, message }: Pick<CallFailure, 'error' | 'message'>, action: string) {
  const isOfKey = OF_A_KEY.test(error.name) || OF_A_KEY.test(message);
  const [, Action = isOfKey ? actionsOnKey(action) : action, Resource = '*'] = MISSING_PERMISSION.exec(message) ?? [];
  return { Effect: 'Allow', Action, Resource };
}

const EXPLICIT = 'explicit deny';

/** The actions that a denied call needs. Empty when a policy denies it explicitly: then no grant helps. */
export function grantOf(error: unknown, action: string): readonly string[] {
  if (!(error instanceof Error) || error.message.includes(EXPLICIT)) return [];
  return [missingGrant({ error: error as SdkError, message: error.message }, action).Action].flat();
}

function deniedText(failure: CallFailure, { action }: FailedCall): string {
  const { message } = failure;
  const isExplicit = message.includes(EXPLICIT);
  const advice = isExplicit
    ? 'A policy denies it explicitly: remove that statement.'
    : `Grant the caller ${JSON.stringify(missingGrant(failure, action))}.`;
  return `${action} is denied: ${sentence(message)} ${advice}`;
}

function unreachableText({ message, code }: CallFailure, { action, region, endpointUrl }: FailedCall): string {
  const advice =
    endpointUrl === undefined
      ? `Is ${region} a Region, and is this machine online?`
      : `Is the service at ${endpointUrl} running?`;
  return `${action} could not reach AWS: ${message || code}. ${advice}`;
}

/** The first rule that applies gives the text. */
const RULES: readonly Rule[] = [
  {
    applies: ({ error, message }) => error.name === 'CredentialsProviderError' && message === CHAIN_ENDED,
    says: () => NO_CREDENTIALS,
  },
  {
    applies: ({ error }) => NO_PROVIDER.test(error.name),
    says: ({ message }) => `no AWS credentials are available: ${message}`,
  },
  { applies: ({ error }) => DENIED.test(error.name), says: deniedText },
  {
    applies: ({ error }) => CREDENTIALS_REFUSED.test(error.name),
    says: ({ error, message }, { action, region }) => {
      const advice = UNKNOWN_CREDENTIALS.test(error.name) ? ` Is the Region ${region} enabled for the account?` : '';
      return `AWS rejects the credentials for ${action}: ${advice === '' ? message : sentence(message)}${advice}`;
    },
  },
  {
    applies: ({ error }) => NO_QUEUE.test(error.name),
    says: ({ message }, { action }) =>
      `${action}: ${sentence(message || 'the queue does not exist')} Was it deleted meanwhile?`,
  },
  {
    applies: ({ error }) => isThrottlingError(error),
    says: ({ message, attempts }, { action }) =>
      `${action} was throttled in ${attempts} attempts: ${sentence(message)} Try again in a minute.`,
  },
  {
    // The SDK wraps some errors of Node, so that only the message has the code.
    applies: ({ code, message, error }) => UNREACHABLE.test(`${code} ${message}`) || error.name === 'TimeoutError',
    says: unreachableText,
  },
  {
    applies: ({ message }) => message.includes(UNREADABLE),
    says: ({ message }, { action, endpointUrl = 'AWS' }) =>
      `${action} cannot parse the response of ${endpointUrl}: ${message.split('\n')[0]}. Is that an AWS endpoint?`,
  },
];

function failureOf(error: SdkError): CallFailure {
  const code = 'code' in error ? String(error.code) : '';
  return {
    error,
    message: error.message.replace(SDK_WRAPPER, '').trim(),
    code,
    attempts: error.$metadata?.attempts ?? 1,
  };
}

/** By error, the action that failed: an error may come from another call than the one a caller has made. */
const failedActions = new WeakMap<object, string>();

export function rememberAction(error: Error, action: string): void {
  failedActions.set(error, action);
}

/** The action that failed with an error; undefined for other errors. */
export function failedActionOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? failedActions.get(error) : undefined;
}

export function callFailureText(error: unknown, call: FailedCall): string {
  if (!(error instanceof Error)) return `${call.action}: ${messageOf(error)}`;
  const failure = failureOf(error as SdkError);
  const rule = RULES.find(({ applies }) => applies(failure));
  return rule ? rule.says(failure, call) : `${call.action}: ${failure.message || error.name}`;
}

/**
 * Maps items with a limited number of concurrent calls. After the first failure, no further call is started.
 *
 * @param max how many calls run at the same time
 * @returns the results in the order of the items
 */
export async function mapAtMost<Item, Result>(
  max: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const left = [...items.entries()].reverse();
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [at, item] = next;
      try {
        results.set(at, await work(item));
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  return [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
}

/** One page of a list, and the token of the next. */
export interface ResultPage<Item> {
  readonly items: readonly Item[];
  /** Undefined or empty on the last page. */
  readonly next: string | undefined;
}

/** Reads a list page by page, for calls without a paginator in the SDK. */
export async function* pagesOf<Item>(
  page: (next: string | undefined) => Promise<ResultPage<Item>>,
): AsyncIterable<readonly Item[]> {
  let next: string | undefined;
  do {
    const read = await page(next);
    yield read.items;
    next = read.next;
  } while (next);
}

/** Reads all pages of a list, for calls without a paginator in the SDK. */
export async function allPages<Item>(
  page: (next: string | undefined) => Promise<ResultPage<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const read of pagesOf(page)) items.push(...read);
  return items;
}
