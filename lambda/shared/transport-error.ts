import type { TransportFailure } from '../../policy/outcome/outcome';

/** A failure that we name ourselves, such as an address that must not be reached. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError';

  constructor(
    readonly failure: TransportFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Time was over. */
export class TimeoutError extends TransportError {
  override readonly name = 'TimeoutError';

  constructor(message: string) {
    super('timeout', message);
  }
}

/** What errors of one kind mean. */
interface Rule {
  readonly code: RegExp;
  readonly failure: TransportFailure;
}

/**
 * By the error's code; the first that fits holds.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/errors.html#common-system-errors
 * @see https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes
 */
const RULES: readonly Rule[] = [
  { code: /^(ECONNRESET|ECONNABORTED|ENETRESET|ENOTCONN|EPIPE)$/, failure: 'connection-reset' },
  { code: /^ECONNREFUSED$/, failure: 'connection-refused' },
  { code: /^EAI_MEMORY$/, failure: 'local-failure' },
  { code: /^(ENOTFOUND|EAI_\w+)$/, failure: 'name-not-resolved' },
  { code: /^(ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/, failure: 'timeout' },
  { code: /^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/, failure: 'unreachable' },
  // An alert about a certificate is about ours: the other side wants one, and we have none.
  { code: /^(EPROTO|ERR_SSL_\w+)$/, failure: 'tls-failed' },
  {
    code: /CERT|_SIGNATURE|SELF_SIGNED|^CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/,
    failure: 'bad-certificate',
  },
  { code: /^ERR_TLS_\w+$/, failure: 'tls-failed' },
  { code: /^HPE_\w+$/, failure: 'not-http' },
];

/** One error for each address that was tried has the first one's code, or none. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? codeOf(first) : '';
}

/** What an error says. One for all addresses that were tried says nothing itself: the first one's speaks for it. */
export function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError && error.message === '' ? error.errors : [];
  return first instanceof Error ? messageOf(first) : error.message;
}

/** Whether the machine itself said no, as it does of one file too many (`EMFILE`) or of no port left (`EADDRNOTAVAIL`). */
function isLocalFailure(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/**
 * Why there was no answer.
 *
 * @returns undefined for what is no failure of a transport: a mistake in the code that sends must show as what it is
 */
export function transportFailureOf(error: Error): TransportFailure | undefined {
  if (error instanceof TransportError) return error.failure;
  const code = codeOf(error);
  const known = RULES.find(rule => rule.code.test(code));
  if (known) return known.failure;
  return isLocalFailure(error) ? 'local-failure' : undefined;
}
