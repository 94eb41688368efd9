import type { Credentials, SessionCredentials } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller, roleCaller, sessionCaller } from '../kernel/caller';
import type { Clock } from '../kernel/clock';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';

const KEY_ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_BYTES = 30;
const TOKEN_BYTES = 96;

export interface Session {
  /** The account of the role or of the administrator. */
  readonly account: string;
  /** @default - a session of an administrator */
  readonly roleArn?: string;
  readonly sessionName?: string;
  /** Condition keys of each call of the session. @default - only those of every call */
  readonly context?: Caller['context'];
  /** Milliseconds since the Unix epoch. @default - the credentials never expire, because a service renews its own */
  readonly expiresAtMs?: number;
}

/** The account whose administrator has this access key: the account's number is such a key. */
function administratedBy(accessKeyId = ''): string | undefined {
  return /^\d{12}$/.test(accessKeyId) ? accessKeyId : undefined;
}

/** Issues temporary credentials, and knows their sessions and when they expire. */
export class SessionCredentialStore implements Credentials {
  get count(): number {
    return this.sessions.size;
  }

  /** @param sessions the sessions of all accounts, by access key id */
  constructor(
    private readonly place: Place,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly sessions = new Map<string, Session>(),
  ) {}

  issue(roleArn: string, sessionName?: string, context: Caller['context'] = {}): SessionCredentials {
    return this.issueSession({ roleArn, context, ...(sessionName === undefined ? {} : { sessionName }) });
  }

  end({ accessKeyId }: SessionCredentials): void {
    this.sessions.delete(accessKeyId);
  }

  issueSession(session: Omit<Session, 'account'>): SessionCredentials {
    const accessKeyId = `ASIA${this.characters(16)}`;
    this.sessions.set(accessKeyId, { ...session, account: this.place.account });
    return { accessKeyId, secretAccessKey: this.base64(SECRET_BYTES), sessionToken: this.base64(TOKEN_BYTES) };
  }

  caller(accessKeyId: string | undefined): Caller {
    const session = this.sessions.get(accessKeyId ?? '');
    const { roleArn, sessionName, expiresAtMs, context } = session ?? {};
    if (expiresAtMs !== undefined && this.clock.nowMs >= expiresAtMs) {
      throw new AwsError('ExpiredToken', 'The security token included in the request is expired', 403);
    }
    if (roleArn === undefined) {
      return administrator(session?.account ?? administratedBy(accessKeyId) ?? this.place.account);
    }
    const caller = sessionName === undefined ? roleCaller(roleArn) : sessionCaller(roleArn, sessionName);
    return { ...caller, context: { ...caller.context, ...context } };
  }

  private characters(length: number): string {
    let text = '';
    for (let i = 0; i < length; i += 1) text += KEY_ID_CHARACTERS[this.random.integer(0, KEY_ID_CHARACTERS.length - 1)];
    return text;
  }

  private base64(bytes: number): string {
    return Buffer.from(this.random.hex(bytes * 2), 'hex').toString('base64');
  }
}
