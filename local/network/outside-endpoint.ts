import type { Clock } from '../kernel/clock';
import { Script } from '../kernel/script';
import { addressesOf } from './addresses';
import { type Behaviour, checkBehaviours } from './behaviour';
import type { NoAnswer, OutgoingRequest, Reply, Resolved, Unconnected } from './network';

/** A request an outside endpoint got, and when. */
export interface ReceivedRequest extends OutgoingRequest {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A connection that did not come about, when and why. */
export interface FailedConnection {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly reply: Unconnected;
}

/** What keeps a connection from coming about. */
const BEFORE_A_REQUEST: readonly NoAnswer[] = ['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'CERT_HAS_EXPIRED'];

/** How long a reply takes. */
export interface ReplyTime {
  /** @default 0 */
  readonly latencyMs?: number;
}

/** A response with a text body. */
export function response(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  { latencyMs }: ReplyTime = {},
): Reply {
  const reply = { kind: 'response', status, headers, body: Buffer.from(body) } as const;
  return latencyMs === undefined ? reply : { ...reply, latencyMs };
}

/** No answer, but an error: by default nobody listens there. */
export function noAnswer(code: NoAnswer = 'ECONNREFUSED', { latencyMs }: ReplyTime = {}): Reply {
  return latencyMs === undefined ? { kind: 'no-answer', code } : { kind: 'no-answer', code, latencyMs };
}

/** The request is taken, and nothing ever comes back. */
export function silence(): Reply {
  return { kind: 'silence' };
}

/** A host outside AWS, such as a partner's billing system. It answers 200 unless told otherwise. */
export class OutsideEndpoint {
  private readonly received: ReceivedRequest[] = [];
  private readonly failed: FailedConnection[] = [];
  private script: Script<Behaviour>;

  constructor(
    readonly hostName: string,
    private readonly clock: Clock,
  ) {
    this.script = new Script(clock);
  }

  /** Every request it got, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.received;
  }

  /**
   * From now on it behaves like this, one behaviour after the other, and answers 200 once they are over.
   *
   * @throws RangeError naming everything about them that makes no sense
   */
  behave(...behaviours: readonly Behaviour[]): void {
    checkBehaviours(behaviours, this.clock.nowMs);
    this.script = new Script(this.clock, behaviours);
  }

  /** Connections that did not come about, oldest first: for these there is no request. */
  get failedConnections(): readonly FailedConnection[] {
    return this.failed;
  }

  /** What its name resolves to. */
  resolve(): Resolved {
    const reply = this.unconnected(code => code === 'ENOTFOUND');
    if (!reply) return { addresses: addressesOf(this.hostName), latencyMs: 0 };
    return { addresses: [], latencyMs: reply.kind === 'no-answer' ? (reply.latencyMs ?? 0) : 0 };
  }

  /** Undefined when somebody's connection comes about. */
  connect(): Unconnected | undefined {
    return this.unconnected(code => BEFORE_A_REQUEST.includes(code));
  }

  answer(request: OutgoingRequest): Reply {
    this.received.push({ ...request, atMs: this.clock.nowMs });
    return this.script.next()?.reply ?? response(200);
  }

  /** What keeps somebody out who comes now; who is kept out has come all the same. */
  private unconnected(isMeant: (code: NoAnswer) => boolean): Unconnected | undefined {
    const reply = this.script.peek()?.reply;
    if (!reply || reply.kind === 'response') return undefined;
    if (reply.kind === 'silence' ? !reply.unreachable || !isMeant('ETIMEDOUT') : !isMeant(reply.code)) return undefined;
    this.script.next();
    this.failed.push({ atMs: this.clock.nowMs, reply });
    return reply;
  }
}
