import { isThrottlingError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { messageOf } from '../errors';

/** What was asked for when a call failed. */
export interface FailedCall {
  /** As IAM names it: `lambda:ListFunctions`. */
  readonly action: string;
  readonly region: string;
  /** @default - AWS's own */
  readonly endpointUrl?: string;
}

/** What AWS's clients say of an error beside its name and message. */
interface Trouble {
  readonly error: SdkError;
  readonly message: string;
  /** Of a connection that failed, by node's name. */
  readonly code: string;
  /** @default 1 */
  readonly attempts: number;
}

interface Rule {
  applies(trouble: Trouble): boolean;
  says(trouble: Trouble, call: FailedCall): string;
}

const DENIED = /AccessDenied|AuthorizationError|UnauthorizedOperation/;

/** Whether AWS has refused a call for want of a permission. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && DENIED.test(error.name);
}

const CREDENTIALS_REFUSED =
  /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|RequestExpired|InvalidAccessKeyId/;

const UNREACHABLE = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)\b/;

/** What the SDK adds to the message of an answer it cannot read. */
const UNREADABLE = 'Deserialization error';

const NO_CREDENTIALS =
  'no AWS credentials are found: name a --profile, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

/** What the end of the chain says, whatever it tried before. */
const CHAIN_ENDED = 'Could not load credentials from any providers';

/** AWS names the permission that was missing, which need not be that of the call, and what for. */
const MISSING_PERMISSION = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (\S+))?/;

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** What speaks for SQS or SNS is KMS, which may name no permission. */
const OF_A_KEY = /^KMS|^Kms|\bAWSKMS\b/;

/** What encrypts takes more of a key than what decrypts. */
const ENCRYPTING: ReadonlySet<string> = new Set(['sqs:SendMessage', 'sns:Publish']);

function actionsOnKey(action: string): string | readonly string[] {
  return ENCRYPTING.has(action) ? ['kms:GenerateDataKey', 'kms:Decrypt'] : 'kms:Decrypt';
}

function missingGrant({ error, message }: Trouble, action: string): string {
  const isOfKey = OF_A_KEY.test(error.name) || OF_A_KEY.test(message);
  const [, Action = isOfKey ? actionsOnKey(action) : action, Resource = '*'] = MISSING_PERMISSION.exec(message) ?? [];
  return JSON.stringify({ Effect: 'Allow', Action, Resource });
}

function deniedText(trouble: Trouble, { action }: FailedCall): string {
  const { message } = trouble;
  const isExplicit = message.includes('explicit deny');
  const advice = isExplicit
    ? 'A policy denies it by name: that statement must go.'
    : `Whoever runs this needs ${missingGrant(trouble, action)}.`;
  return `${action} is denied: ${sentence(message)} ${advice}`;
}

function unreachableText({ message, code }: Trouble, { action, region, endpointUrl }: FailedCall): string {
  const advice =
    endpointUrl === undefined ? `Is ${region} a Region, and this machine online?` : `Is anybody at ${endpointUrl}?`;
  return `${action} does not reach AWS: ${message || code}. ${advice}`;
}

/** The first that applies says it. */
const RULES: readonly Rule[] = [
  {
    applies: ({ error, message }) => error.name === 'CredentialsProviderError' && message === CHAIN_ENDED,
    says: () => NO_CREDENTIALS,
  },
  {
    applies: ({ error }) => /^(Credentials|Token)ProviderError$/.test(error.name),
    says: ({ message }) => `no AWS credentials can be had: ${message}`,
  },
  { applies: ({ error }) => DENIED.test(error.name), says: deniedText },
  {
    applies: ({ error }) => CREDENTIALS_REFUSED.test(error.name),
    says: ({ message }, { action }) => `AWS does not take the credentials for ${action}: ${message}`,
  },
  {
    applies: ({ error }) => isThrottlingError(error),
    says: ({ message, attempts }, { action }) =>
      `${action} is throttled, in ${attempts} attempts: ${sentence(message)} Try again in a minute, or set AWS_MAX_ATTEMPTS to more.`,
  },
  {
    // Node may have said it in words only: the SDK wraps what it takes for no error.
    applies: ({ code, message, error }) => UNREACHABLE.test(`${code} ${message}`) || error.name === 'TimeoutError',
    says: unreachableText,
  },
  {
    applies: ({ message }) => message.includes(UNREADABLE),
    says: ({ message }, { action, endpointUrl = 'AWS' }) =>
      `${action} cannot read what ${endpointUrl} answers: ${message.split('\n')[0]}. Is that an endpoint of AWS?`,
  },
];

function troubleOf(error: SdkError): Trouble {
  const code = 'code' in error ? String(error.code) : '';
  return { error, message: error.message.trim(), code, attempts: error.$metadata?.attempts ?? 1 };
}

/** What went wrong with a call of AWS, and what its user can do about it. */
export function callFailureText(error: unknown, call: FailedCall): string {
  if (!(error instanceof Error)) return `${call.action}: ${messageOf(error)}`;
  const trouble = troubleOf(error as SdkError);
  const rule = RULES.find(({ applies }) => applies(trouble));
  return rule ? rule.says(trouble, call) : `${call.action}: ${trouble.message || error.name}`;
}

/**
 * Does something with each item, with no more than so many at once. Once one of them fails, no other is begun.
 *
 * @returns what came of each, in the order of the items
 * @throws what was thrown first
 */
export async function mapAtMost<Item, Result>(
  most: number,
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
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
}

/** One page of a list, and what the next is asked for with. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Undefined, or empty, on the last. */
  readonly next: string | undefined;
}

/** A whole list, of those calls for which the SDK has no paginator. */
export async function allPages<Item>(
  page: (next: string | undefined) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const read = await page(next);
    items.push(...read.items);
    next = read.next;
  } while (next);
  return items;
}
