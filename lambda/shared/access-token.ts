import type { NowMs } from '../../mover/aws/clock';
import type { AddressGuards } from '../../policy/address-guard';
import { formatProblem } from '../../policy/problem';
import { readDestination } from '../../policy/relay/destination';
import {
  type ClientCredentials,
  REFUSED_TOKEN_AGE_MS,
  readTokenAnswer,
  renewAfterMs,
  type TokenRequest,
  tokenRequest,
} from '../../policy/relay/oauth';
import { messageOf } from './connections';
import type { Send } from './http-send';

/** How long one request for a token may take, and how much of its answer is read: a token may be long. */
export const TOKEN_LIMITS = { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000, maxBodyBytes: 64 * 1_024 } as const;

/** The longest time until there is a token or none: reading the credentials takes up to 7 s. */
export const MAX_TOKEN_MS = 7_000 + TOKEN_LIMITS.totalTimeoutMs;

/** After a failure the token endpoint is asked again no sooner than this. */
const PAUSE_MS = 5_000;

/** Why there is no token or no credentials. The reason contains no secret. */
interface Nothing {
  readonly kind: 'none';
  readonly reason: string;
  /** Whether we failed, and not the token endpoint. @default false */
  readonly isBroken?: boolean;
}

/** An access token, or why there is none. */
type TokenResult = { readonly kind: 'token'; readonly token: string } | Nothing;

/** The access token of an endpoint. Requests at the same time share one request for it. */
export interface AccessToken {
  /** Returns a token that is valid for now. Takes at most `MAX_TOKEN_MS`. */
  readonly get: () => Promise<TokenResult>;
  /** Returns another token than one that the endpoint refused; undefined if there is none. Takes as long at most. */
  readonly renew: (refused: string) => Promise<string | undefined>;
}

/** The client's credentials, or why they are missing. */
export type CredentialsAnswer = { readonly kind: 'credentials'; readonly credentials: ClientCredentials } | Nothing;

/** What `accessToken` needs. */
export interface AccessTokenParts {
  readonly request: TokenRequest;
  /** Reads the client's credentials, before each request for a token. */
  readonly credentials: () => Promise<CredentialsAnswer>;
  readonly guards: AddressGuards;
  /** Checks every address that it connects to, and has `TOKEN_LIMITS`: see `guardedSend`. */
  readonly send: Send;
  readonly nowMs: NowMs;
}

interface Issued {
  readonly token: string;
  readonly askedAtMs: number;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
}

type Asked = { readonly kind: 'issued'; readonly issued: Issued } | Nothing;

function noAnswer(why: string) {
  return { kind: 'none', reason: `the token endpoint does not answer: ${why}` } as const;
}

async function ask({ request, credentials, guards, send, nowMs }: AccessTokenParts): Promise<Asked> {
  const reading = readDestination('the token URL', request.tokenUrl, guards, false);
  if (reading.kind === 'refused') return { kind: 'none', reason: formatProblem(reading.problem) };
  const read = await credentials();
  if (read.kind === 'none') return read;
  const { headers, body } = tokenRequest(request, read.credentials);
  const askedAtMs = nowMs();
  const result = await send('POST', reading.url, headers, body);
  const answer = result.kind === 'answered' ? readTokenAnswer(result) : noAnswer(messageOf(result.cause));
  if (answer.kind === 'none') return { kind: 'none', reason: `${reading.shown}: ${answer.reason}` };
  const { token, lifetimeMs } = answer;
  const renewAtMs = askedAtMs + renewAfterMs(lifetimeMs);
  return { kind: 'issued', issued: { token, askedAtMs, renewAtMs, endsAtMs: askedAtMs + lifetimeMs } };
}

/**
 * Keeps the access token of an endpoint. It is asked for again before it ends. If that fails, it is used until its end.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
export function accessToken(parts: AccessTokenParts): AccessToken {
  const { nowMs } = parts;
  let issued: Issued | undefined;
  let failed: { readonly why: Nothing; readonly untilMs: number } | undefined;
  let underWay: Promise<Asked> | undefined;

  const askOnce = async (): Promise<Asked> => {
    if (failed && nowMs() < failed.untilMs) return failed.why;
    const asked = await ask(parts);
    if (asked.kind === 'issued') [issued, failed] = [asked.issued, undefined];
    else failed = { why: asked, untilMs: nowMs() + PAUSE_MS };
    return asked;
  };
  const shared = (): Promise<Asked> => {
    underWay ??= askOnce().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  return {
    get: async () => {
      if (issued && nowMs() < issued.renewAtMs) return { kind: 'token', token: issued.token };
      const asked = await shared();
      if (asked.kind === 'issued') return { kind: 'token', token: asked.issued.token };
      return issued && nowMs() < issued.endsAtMs ? { kind: 'token', token: issued.token } : asked;
    },
    renew: async refused => {
      if (issued && issued.token !== refused) return issued.token;
      if (issued && nowMs() - issued.askedAtMs < REFUSED_TOKEN_AGE_MS) return undefined;
      const asked = await shared();
      return asked.kind === 'issued' && asked.issued.token !== refused ? asked.issued.token : undefined;
    },
  };
}
