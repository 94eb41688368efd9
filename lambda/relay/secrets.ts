import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { NowMs } from '../../mover/clock';
import { errorOf } from '../shared/log';

/** Which secret. */
export interface SecretRequest {
  readonly secretArn: string;
  /**
   * The member of the secret's JSON that is wanted.
   * @default - the whole text
   */
  readonly field?: string;
  /**
   * Whether the value before the current one is wanted too, as while a key is rotated.
   * @default false
   */
  readonly withPrevious?: boolean;
  /**
   * How long ago somebody may have asked Secrets Manager, at most.
   * @default - as long as the reader keeps a value
   */
  readonly maxAgeMs?: number;
}

/** What a secret says, or why it could not be read: a reason without a value. */
export type SecretAnswer =
  /** The current value, then the previous one where it was asked for and is there. */
  | { readonly kind: 'values'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type ReadSecret = (question: SecretRequest) => Promise<SecretAnswer>;

export interface SecretReaderOptions {
  /** How long a value is used without asking again. @default 5 minutes */
  readonly ttlMs?: number;
  /**
   * How long, from when it was read, a value is still used while reading it again fails. Our choice: long enough for an
   * hour's outage of Secrets Manager not to be one of the endpoint, short enough for a secret taken away not to be used for
   * a day.
   * @default 1 hour
   */
  readonly staleMs?: number;
  /** How long after a failure nobody is asked again, where a value may still be used. @default 30 seconds */
  readonly retryMs?: number;
  readonly nowMs: NowMs;
  /** Told that an old value is used, and why. */
  readonly onStale: (secretArn: string, reason: string) => void;
}

const SECOND_MS = 1_000;
const TTL_MS = 300 * SECOND_MS;
const STALE_MS = 3_600 * SECOND_MS;
const RETRY_MS = 30 * SECOND_MS;

/** The texts of a secret: the current one, then the previous one where it is wanted and is there. */
type Fetched =
  | { readonly kind: 'texts'; readonly current: string; readonly previous: string | undefined }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Texts, when they were read, and until when nobody asks again. */
interface Kept {
  readonly texts: Extract<Fetched, { kind: 'texts' }>;
  readonly readAtMs: number;
  /** Later than `readAtMs` where nobody answered. */
  readonly askedAtMs: number;
  readonly freshUntilMs: number;
}

/** There may be none, as of every secret that never changed; of bytes there is no text either. */
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
 * The current text first: where the secret is rotated in between, the old one is then had twice. The other way round it
 * might be missed, and those who know no other yet would refuse what is signed with the rest.
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

/** The member of a JSON object; undefined where there is none that is text. */
function memberOf(text: string, field: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    const member: unknown = Reflect.get(value, field);
    return typeof member === 'string' ? member : undefined;
  } catch {
    // The parser's own words would show a part of the secret.
    return undefined;
  }
}

/**
 * Reads secrets from Secrets Manager and keeps them for a while. Questions asked at once are one request. A value whose
 * refresh fails is used on for `staleMs`; after that the reason is the answer.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/retrieving-secrets.html
 */
export function secretReader(client: SecretsManagerClient, options: SecretReaderOptions): ReadSecret {
  const { ttlMs = TTL_MS, staleMs = STALE_MS, retryMs = RETRY_MS, nowMs, onStale } = options;
  const keptBy = new Map<string, Kept>();
  const underWay = new Map<string, Promise<Fetched>>();

  const refresh = async (key: string, secretArn: string, withPrevious: boolean): Promise<Fetched> => {
    const fetched = await fetchTexts(client, secretArn, withPrevious);
    const now = nowMs();
    if (fetched.kind === 'texts') {
      keptBy.set(key, { texts: fetched, readAtMs: now, askedAtMs: now, freshUntilMs: now + ttlMs });
      return fetched;
    }
    const kept = keptBy.get(key);
    if (!kept || now - kept.readAtMs >= staleMs) return fetched;
    const freshUntilMs = Math.min(now + retryMs, kept.readAtMs + staleMs);
    keptBy.set(key, { ...kept, askedAtMs: now, freshUntilMs });
    onStale(secretArn, fetched.reason);
    return kept.texts;
  };

  const read = (secretArn: string, withPrevious: boolean, maxAgeMs: number): Promise<Fetched> => {
    const key = `${secretArn} ${withPrevious}`;
    const kept = keptBy.get(key);
    const isFresh = kept && nowMs() < kept.freshUntilMs && nowMs() - kept.askedAtMs <= maxAgeMs;
    if (isFresh) return Promise.resolve(kept.texts);
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
