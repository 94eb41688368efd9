import type { Clock } from '../kernel/clock';
import { Script } from '../kernel/script';
import { addressesOf, canonicalHost } from './addresses';
import { type Behaviour, checkBehaviours } from './behaviour';
import type { Destination, NoAnswer, OutgoingRequest, Reply, Resolved, Unconnected } from './network';
import { checkResolutions, type Resolution } from './resolution';

/** A request an outside endpoint got, when, at which of its addresses, and what it made of it. */
export interface ReceivedRequest extends OutgoingRequest {
  readonly address: string;
  readonly reply: Reply;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A connection that did not come about, when and why. */
export interface FailedConnection {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** Where to. Absent where the name did not resolve. */
  readonly address?: string;
  readonly reply: Unconnected;
}

/** What keeps a connection from coming about. */
const BEFORE_A_REQUEST: readonly NoAnswer[] = ['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'CERT_HAS_EXPIRED'];

/** How long a reply takes. */
export interface ReplyTime {
  /** @default 0 */
  readonly latencyMs?: number;
}

/** How a response comes, and what becomes of its connection. */
export type ResponseManner = Pick<Extract<Reply, { kind: 'response' }>, 'latencyMs' | 'ending' | 'keepAliveMs'>;

/** A response with a text body. */
export function response(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  manner: ResponseManner = {},
): Reply {
  return { kind: 'response', status, headers, body: Buffer.from(body), ...manner };
}

/** No answer, but an error: by default nobody listens there. */
export function noAnswer(
  code: NoAnswer = 'ECONNREFUSED',
  { latencyMs }: ReplyTime = {},
): Extract<Reply, { kind: 'no-answer' }> {
  return latencyMs === undefined ? { kind: 'no-answer', code } : { kind: 'no-answer', code, latencyMs };
}

/** The request is taken, and nothing ever comes back. */
export function silence(): Reply {
  return { kind: 'silence' };
}

/** What a host is like while no scenario says otherwise. */
export interface HostNature {
  readonly answer: (request: OutgoingRequest) => Reply;
  /** The only port it listens on. @default - any */
  readonly port?: number;
}

const ANSWERS_200: HostNature = { answer: () => response(200) };

/**
 * A host outside AWS, such as a partner's billing system. It answers 200 unless told otherwise, at the one address its
 * name resolves to unless told otherwise.
 */
export class OutsideEndpoint {
  private readonly received: ReceivedRequest[] = [];
  private readonly failed: FailedConnection[] = [];
  private readonly addresses: Set<string>;
  private script: Script<Behaviour>;
  private names: Script<Resolution>;

  constructor(
    readonly hostName: string,
    private readonly clock: Clock,
    private readonly nature: HostNature = ANSWERS_200,
  ) {
    this.script = new Script(clock);
    this.names = new Script(clock);
    this.addresses = new Set(addressesOf(hostName));
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

  /**
   * From now on its name resolves to this, one resolution after the other, and to its own public address once they are
   * over. It listens at all of them, also when its name does not resolve to them any more: what else is to be found at
   * an address is said of the address, `aws.endpoint('10.0.0.5').behave(…)`.
   *
   * ```ts
   * // Public when somebody checks it, private when somebody connects:
   * host.resolveTo({ addresses: ['203.0.113.7'], count: 1 }, { addresses: ['10.0.0.5'] });
   * ```
   *
   * @throws RangeError naming everything about them that makes no sense
   */
  resolveTo(...resolutions: readonly Resolution[]): void {
    checkResolutions(this.hostName, resolutions, this.clock.nowMs);
    const canonical = resolutions.map(it => ({ ...it, addresses: it.addresses.map(canonicalHost) }));
    for (const address of canonical.flatMap(it => it.addresses)) this.addresses.add(address);
    this.names = new Script(this.clock, canonical);
  }

  /** Connections that did not come about, oldest first: for these there is no request. */
  get failedConnections(): readonly FailedConnection[] {
    return this.failed;
  }

  /** Whether it can be reached at this address. */
  listensAt(address: string): boolean {
    return this.addresses.has(address);
  }

  /** What its name resolves to, for somebody who asks now. */
  resolve(): Resolved {
    const reply = this.unconnected(code => code === 'ENOTFOUND');
    if (reply) return { addresses: [], latencyMs: reply.kind === 'no-answer' ? (reply.latencyMs ?? 0) : 0 };
    return this.resolveName();
  }

  /** The same, whatever its behaviour says: who only sends meets with that later. */
  resolveName(): Resolved {
    const { addresses, latencyMs = 0 } = this.names.next() ?? { addresses: addressesOf(this.hostName) };
    if (addresses.length === 0) this.failed.push({ atMs: this.clock.nowMs, reply: noAnswer('ENOTFOUND') });
    return { addresses, latencyMs };
  }

  /** Undefined when somebody's connection comes about. */
  connect({ address, port }: Pick<Destination, 'address' | 'port'>): Unconnected | undefined {
    const scripted = this.unconnected(code => BEFORE_A_REQUEST.includes(code), address);
    if (scripted || this.nature.port === undefined || this.nature.port === port) return scripted;
    return this.keepOut({ kind: 'no-answer', code: 'ECONNREFUSED' }, address);
  }

  answer(request: OutgoingRequest & Pick<ReceivedRequest, 'address'>): Reply {
    const reply = this.script.next()?.reply ?? this.nature.answer(request);
    this.received.push({ ...request, atMs: this.clock.nowMs, reply });
    return reply;
  }

  /** What keeps somebody out who comes now; who is kept out has come all the same. */
  private unconnected(isMeant: (code: NoAnswer) => boolean, address?: string): Unconnected | undefined {
    const reply = this.script.peek()?.reply;
    if (!reply || reply.kind === 'response') return undefined;
    if (reply.kind === 'silence' ? !reply.unreachable || !isMeant('ETIMEDOUT') : !isMeant(reply.code)) return undefined;
    this.script.next();
    return this.keepOut(reply, address);
  }

  private keepOut(reply: Unconnected, address: string | undefined): Unconnected {
    this.failed.push({ atMs: this.clock.nowMs, ...(address !== undefined && { address }), reply });
    return reply;
  }
}
