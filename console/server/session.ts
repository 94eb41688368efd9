import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { refusedHost } from '../../policy/host-header';

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly says: string;
}

const BYTES = 32;

const secret = (): string => randomBytes(BYTES).toString('base64url');

/** Compares two secrets in a time that does not depend on where they differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map(text => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** What kind of request it is. Only a page may be opened by a link of another site: it shows nothing without a session. */
export type RequestKind = 'page' | 'asset' | 'api';

/** Refuses what a page of another site could send. */
export function foreignRequest(
  kind: RequestKind,
  { headers, url }: Pick<IncomingMessage, 'headers' | 'url'>,
  allowHosts: readonly string[],
): Refusal | undefined {
  const { host, origin } = headers;
  const says = refusedHost({ host, url }, allowHosts);
  if (says !== undefined) return { status: 403, says };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, says: 'Another site sent this request.' };
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || (site === 'none' && kind !== 'api');
  const isLink =
    kind === 'page' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isOwn || isLink ? undefined : { status: 403, says: 'Another site sent this request.' };
}

/** Who may use the console: a browser that opened the printed link, and then has a cookie. */
export class Session {
  private readonly cookie = secret();
  private readonly token = secret();
  private readonly once = new Set<string>();

  /**
   * @param name of the cookie. Browsers share cookies between ports, so that each console needs its own
   * @param isOpen whether every browser on this machine may use it without a link
   */
  constructor(
    private readonly name: string,
    readonly isOpen: boolean,
  ) {}

  /** The token of the printed link. It is valid until the console ends. */
  get linkToken(): string {
    return this.token;
  }

  /** A token that is valid once: other users of this machine see the arguments of the command that opens a browser. */
  oneTimeToken(): string {
    const token = secret();
    this.once.add(token);
    return token;
  }

  accepts(token: string): boolean {
    const used = [...this.once].find(it => isSame(it, token));
    if (used !== undefined) this.once.delete(used);
    return used !== undefined || isSame(token, this.token);
  }

  /** @param path the path that the cookie is sent to */
  cookieHeader(path: string): string {
    return `${this.name}=${this.cookie}; HttpOnly; SameSite=Strict; Path=${path}`;
  }

  isSignedIn({ cookie = '' }: IncomingHttpHeaders): boolean {
    const sent = cookie.split(';').map(it => it.trim());
    const prefix = `${this.name}=`;
    return sent.some(it => it.startsWith(prefix) && isSame(it.slice(prefix.length), this.cookie));
  }
}
