import type { Clock } from '../kernel/clock';
import { checkNames, type MemberNames } from '../kernel/member-reader';
import { Script } from '../kernel/script';
import { addressesOf, canonicalHost } from './addresses';
import { type Behaviour, checkBehaviours, checkResolutions, type Resolution } from './behaviour';
import type { Destination, NoAnswer, OutgoingRequest, Reply, Resolved, Unconnected } from './network';

/** A request that an outside endpoint received, with its instant and its reply. */
export interface ReceivedRequest extends OutgoingRequest {
  /** The body as text in UTF-8. */
  readonly text: string;
  readonly address: string;
  readonly reply: Reply;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A failed connection, with its instant and reason. */
export interface FailedConnection {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The address of the connection; absent when the name did not resolve. */
  readonly address?: string;
  readonly reply: Unconnected;
}

/** Errors that prevent a connection. */
const BEFORE_A_REQUEST: readonly NoAnswer[] = ['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'CERT_HAS_EXPIRED'];

/** Not enumerable, so that comparing and printing requests does not decode long bodies. */
function withText(received: Omit<ReceivedRequest, 'text'>): ReceivedRequest {
  const text = (): string => Buffer.from(received.body).toString('utf8');
  return Object.defineProperty(received, 'text', { get: text }) as ReceivedRequest;
}

export interface ReplyTime {
  /** @default 0 */
  readonly latencyMs?: number;
}

/** How a response arrives, and what happens to its connection. */
export type ResponseManner = Pick<Extract<Reply, { kind: 'response' }>, 'latencyMs' | 'ending' | 'keepAliveMs'>;

const MANNER: MemberNames<ResponseManner> = { latencyMs: true, ending: true, keepAliveMs: true };

/** A response with a text body. */
export function response(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  manner: ResponseManner = {},
): Reply {
  checkNames(manner, 'the manner', MANNER);
  return { kind: 'response', status, headers, body: Buffer.from(body), ...manner };
}

/** An error instead of an answer; by default the connection is refused. */
export function noAnswer(code: NoAnswer = 'ECONNREFUSED', time: ReplyTime = {}): Extract<Reply, { kind: 'no-answer' }> {
  checkNames(time, 'the time', { latencyMs: true });
  const { latencyMs } = time;
  return latencyMs === undefined ? { kind: 'no-answer', code } : { kind: 'no-answer', code, latencyMs };
}

/** Accepts the request and never answers. */
export function silence(): Reply {
  return { kind: 'silence' };
}

/** The default behavior of a host. */
interface HostDefaults {
  readonly answer: (request: OutgoingRequest) => Reply;
  /** The only port it listens on. @default - any */
  readonly port?: number;
}

const ANSWERS_200: HostDefaults = { answer: () => response(200) };

/**
 * A host outside AWS, such as a partner's billing system. By default it answers 200, at the one address of its name.
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
    private readonly nature: HostDefaults = ANSWERS_200,
  ) {
    this.script = new Script(clock);
    this.names = new Script(clock);
    this.addresses = new Set(addressesOf(hostName));
  }

  /** The requests it received, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.received;
  }

  /** @internal Whether it behaves in another way than it does by default. */
  get isScripted(): boolean {
    return this.script.applies;
  }

  /**
   * Sets how it behaves from now on: one behavior after the other, then 200.
   *
   * @throws RangeError naming every invalid member
   */
  behave(...behaviours: readonly Behaviour[]): void {
    checkBehaviours(behaviours, this.clock.nowMs);
    this.script = new Script(this.clock, behaviours);
  }

  /**
   * Sets what its name resolves to from now on: one resolution after the other, then its own public address. It listens
   * at all of these addresses, even when its name no longer resolves to them. For another host at such an address, use
   * the address: `aws.endpoint('10.0.0.5').behave(…)`.
   *
   * ```ts
   * // Public when a client checks it, private when the client connects:
   * host.resolveTo({ addresses: ['203.0.113.7'], count: 1 }, { addresses: ['10.0.0.5'] });
   * ```
   *
   * @throws RangeError naming every invalid member
   */
  resolveTo(...resolutions: readonly Resolution[]): void {
    checkResolutions(this.hostName, resolutions, this.clock.nowMs);
    const canonical = resolutions.map(it => ({ ...it, addresses: it.addresses.map(canonicalHost) }));
    for (const address of canonical.flatMap(it => it.addresses)) this.addresses.add(address);
    this.names = new Script(this.clock, canonical);
  }

  /** Failed connections, oldest first. They have no request. */
  get failedConnections(): readonly FailedConnection[] {
    return this.failed;
  }

  listensAt(address: string): boolean {
    return this.addresses.has(address);
  }

  /** Resolves its name now. */
  resolve(): Resolved {
    const reply = this.unconnected(code => code === 'ENOTFOUND');
    if (reply) return { addresses: [], latencyMs: reply.kind === 'no-answer' ? (reply.latencyMs ?? 0) : 0 };
    return this.resolveName();
  }

  /** Resolves its name without applying its behavior, for clients that only send and meet the behavior later. */
  resolveName(): Resolved {
    const { addresses, latencyMs = 0 } = this.names.next() ?? { addresses: addressesOf(this.hostName) };
    if (addresses.length === 0) this.failed.push({ atMs: this.clock.nowMs, reply: noAnswer('ENOTFOUND') });
    return { addresses, latencyMs };
  }

  /** Undefined when the connection succeeds. */
  connect({ address, port }: Pick<Destination, 'address' | 'port'>): Unconnected | undefined {
    const scripted = this.unconnected(code => BEFORE_A_REQUEST.includes(code), address);
    if (scripted || this.nature.port === undefined || this.nature.port === port) return scripted;
    return this.keepOut({ kind: 'no-answer', code: 'ECONNREFUSED' }, address);
  }

  answer(request: OutgoingRequest & Pick<ReceivedRequest, 'address'>): Reply {
    const reply = this.script.next()?.reply ?? this.nature.answer(request);
    const received = { ...request, atMs: this.clock.nowMs, reply };
    this.received.push(withText(received));
    return reply;
  }

  /** Returns why a connection fails now, and records it. */
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
