import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { NowMs } from '../../mover/aws/clock';
import { HOUR_SECONDS, SECOND_MS } from '../../policy/time-units';
import { errorOf } from '../shared/log';

interface SecretRequest {
  readonly secretArn: string;
  /**
   * The member of the secret's JSON to return.
   * @default - the whole text
   */
  readonly field?: string;
  /**
   * Whether to return the previous value too, for a key that is being rotated.
   * @default false
   */
  readonly withPrevious?: boolean;
  /**
   * How old a cached value may be.
   * @default - `ttlMs`
   */
  readonly maxAgeMs?: number;
}

/** The values of a secret, or why it cannot be read. The reason contains no value. */
type SecretAnswer =
  /** The current value, then the previous one if it was requested and exists. */
  | { readonly kind: 'values'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type ReadSecret = (request: SecretRequest) => Promise<SecretAnswer>;

export interface SecretReaderOptions {
  /** How long a value is cached. @default 5 minutes */
  readonly ttlMs?: number;
  /**
   * How long after it was read a value may be used while reading it again fails. It covers an outage of Secrets Manager of an
   * hour; but a deleted secret must not stay in use for a day.
   * @default 1 hour
   */
  readonly staleMs?: number;
  /** How long after a failed read an old value is used without another read. @default 30 seconds */
  readonly retryMs?: number;
  readonly nowMs: NowMs;
  /** Called when an old value is used, with the reason. */
  readonly onStale: (secretArn: string, reason: string) => void;
}

const TTL_MS = 300 * SECOND_MS;
const STALE_MS = HOUR_SECONDS * SECOND_MS;
const RETRY_MS = 30 * SECOND_MS;

/** The texts of a secret: the current one, and the previous one if it was requested and exists. */
type Fetched =
  | { readonly kind: 'texts'; readonly current: string; readonly previous: string | undefined }
  | { readonly kind: 'unreadable'; readonly reason: string };

interface Cached {
  readonly texts: Extract<Fetched, { kind: 'texts' }>;
  readonly readAtMs: number;
  /** Later than `readAtMs` if the last read failed. */
  readonly askedAtMs: number;
  readonly freshUntilMs: number;
}

/** Undefined if the secret has no previous version, or a binary one. */
async function previousText(client: SecretsManagerClient, secretArn: string): Promise<string | undefined> {
  try {
    const command = new GetSecretValueCommand({ SecretId: secretArn, VersionStage: 'AWSPREVIOUS' });
    return (await client.send(command)).SecretString;
  } catch (error) {
    if (errorOf(error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/**
 * Reads the current text first: if the secret is rotated in between, the old text is returned twice. In the other order it could
 * be missing, and receivers that only know the old key would reject the signature.
 */
async function fetchTexts(client: SecretsManagerClient, secretArn: string, withPrevious: boolean): Promise<Fetched> {
  try {
    const command = new GetSecretValueCommand({ SecretId: secretArn, VersionStage: 'AWSCURRENT' });
    const { SecretString: current } = await client.send(command);
    if (current === undefined) return { kind: 'unreadable', reason: 'it holds bytes, not text' };
    const previous = withPrevious ? await previousText(client, secretArn) : undefined;
    return { kind: 'texts', current, previous: previous === current ? undefined : previous };
  } catch (thrown) {
    const { name, message } = errorOf(thrown);
    return { kind: 'unreadable', reason: `${name}: ${message}` };
  }
}

/** Returns a text member of a JSON object; undefined if there is none. */
function memberOf(text: string, field: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    const member: unknown = Reflect.get(value, field);
    return typeof member === 'string' ? member : undefined;
  } catch {
    // The parser's message would show a part of the secret.
    return undefined;
  }
}

/**
 * Reads secrets from Secrets Manager and caches them. Requests at the same time share one call. If a value cannot be read
 * again, the old value is used for `staleMs`; after that the secret is unreadable.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/retrieving-secrets.html
 */
export function secretReader(client: SecretsManagerClient, options: SecretReaderOptions): ReadSecret {
  const { ttlMs = TTL_MS, staleMs = STALE_MS, retryMs = RETRY_MS, nowMs, onStale } = options;
  const cache = new Map<string, Cached>();
  const underWay = new Map<string, Promise<Fetched>>();

  const refresh = async (key: string, secretArn: string, withPrevious: boolean): Promise<Fetched> => {
    const fetched = await fetchTexts(client, secretArn, withPrevious);
    const now = nowMs();
    if (fetched.kind === 'texts') {
      cache.set(key, { texts: fetched, readAtMs: now, askedAtMs: now, freshUntilMs: now + ttlMs });
      return fetched;
    }
    const cached = cache.get(key);
    if (!cached || now - cached.readAtMs >= staleMs) return fetched;
    const freshUntilMs = Math.min(now + retryMs, cached.readAtMs + staleMs);
    cache.set(key, { ...cached, askedAtMs: now, freshUntilMs });
    onStale(secretArn, fetched.reason);
    return cached.texts;
  };

  const read = (secretArn: string, withPrevious: boolean, maxAgeMs: number): Promise<Fetched> => {
    const key = `${secretArn} ${withPrevious}`;
    const cached = cache.get(key);
    const isFresh = cached && nowMs() < cached.freshUntilMs && nowMs() - cached.askedAtMs <= maxAgeMs;
    if (isFresh) return Promise.resolve(cached.texts);
    const running = underWay.get(key) ?? refresh(key, secretArn, withPrevious).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };

  return async ({ secretArn, field, withPrevious = false, maxAgeMs = Number.POSITIVE_INFINITY }) => {
    const fetched = await read(secretArn, withPrevious, maxAgeMs);
    const unreadable = (reason: string): SecretAnswer => ({ kind: 'unreadable', reason: `${secretArn}: ${reason}` });
    if (fetched.kind === 'unreadable') return unreadable(fetched.reason);
    const valueIn = (text: string) => (field === undefined ? text : memberOf(text, field));
    const current = valueIn(fetched.current);
    if (current === undefined) return unreadable(`it must be a JSON object whose member ${field} is text`);
    const previous = fetched.previous === undefined ? undefined : valueIn(fetched.previous);
    return { kind: 'values', values: previous === undefined ? [current] : [current, previous] };
  };
}
