import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AwsError } from '../../local/kernel/aws-error';
import { Random } from '../../local/kernel/random';
import { credentialScopeOf } from '../../local/kernel/request-signature';
import { protocolOf } from '../../local/wire/aws-host';
import { SERVICE_MODELS } from '../../local/wire/models';
import type { WireAnswer, WireRequest } from '../../local/wire/protocols/wire-protocol';
import type { ServiceModel } from '../../local/wire/service-model';

export type FaultMode =
  /** AWS answers that a permission is missing. */
  | 'deny'
  /** AWS throttles the call. With `perSecond`, only calls above that rate. */
  | 'throttle'
  /** The endpoint does not know the operation: as an emulator answers that lacks it. */
  | 'missing'
  /** AWS answers 500 and does not execute the call. */
  | 'fail-before'
  /** AWS executes the call and answers 500. */
  | 'fail-after-execution'
  /** The connection ends before AWS executes the call. */
  | 'drop'
  /** AWS executes the call, and the connection ends before the answer. */
  | 'drop-answer';

/** What happens to calls. */
export interface FaultRule {
  /** `sqs:SendMessageBatch`, with the name of the API's operation; `sqs:*` or `*`. The service is named as in IAM. */
  readonly action: string;
  readonly mode: FaultMode;
  /** The share of the calls, from 0 to 1. @default 1 */
  readonly rate?: number;
  /** How many calls at most. @default - no limit */
  readonly times?: number;
  /** For `throttle`: the rate that AWS publishes. Calls above it are throttled. @default - every call */
  readonly perSecond?: number;
}

/** What became of a call. */
export interface ProxiedCall {
  /** `sqs:SendMessageBatch`. */
  readonly action: string;
  /** The faults that it met. Empty when it passed as it was. */
  readonly faults: readonly FaultMode[];
}

/** The actions that read. A look at messages receives them, and shows them again. */
export const READS = /:(Get|List|Describe|BatchGet|Query|ReceiveMessage$|ChangeMessageVisibility(Batch)?$)/;

/** A rule, and how often it applied. */
interface ActiveRule {
  readonly rule: FaultRule;
  readonly draws: Random;
  applied: number;
  /** Calls that are allowed now, for a rule with a rate. */
  tokens: number;
  filledAtMs: number;
}

const NAMES: Readonly<Record<string, string>> = { monitoring: 'cloudwatch' };

const models = new Map(SERVICE_MODELS.map(model => [model.name, model]));

const iamName = ({ name }: ServiceModel) => NAMES[name] ?? name;

/** The codes of services that do not use `AccessDeniedException`. */
const DENIED: Readonly<Record<string, string>> = {
  sns: 'AuthorizationError',
  cloudwatch: 'AccessDenied',
  iam: 'AccessDenied',
  sts: 'AccessDenied',
  cloudformation: 'AccessDenied',
};

const THROTTLED: Readonly<Record<string, readonly [code: string, status: number]>> = {
  lambda: ['TooManyRequestsException', 429],
  sqs: ['RequestThrottled', 403],
  sns: ['Throttling', 400],
  iam: ['Throttling', 400],
  cloudwatch: ['Throttling', 400],
  sts: ['Throttling', 400],
};

function errorOf(mode: FaultMode, service: string, action: string): AwsError | undefined {
  switch (mode) {
    case 'deny':
      return new AwsError(
        DENIED[service] ?? 'AccessDeniedException',
        `User: arn:aws:iam::123456789012:user/reader is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`,
        403,
      );
    case 'throttle': {
      const [code, status] = THROTTLED[service] ?? ['ThrottlingException', 400];
      return new AwsError(code, 'Rate exceeded', status);
    }
    case 'missing':
      return new AwsError('NotImplemented', `The action ${action} has not been implemented`, 501);
    case 'fail-before':
    case 'fail-after-execution':
      return new AwsError('InternalFailure', 'We encountered an internal error. Please try again.', 500);
    default:
      return undefined;
  }
}

/**
 * A proxy between a command and the embedded AWS. It denies, throttles, fails and drops calls by rules. Which of the
 * calls of an operation meet a rule with a rate follows from the seed.
 *
 * @example
 * const proxy = await FaultingProxy.before(url);
 * proxy.play([{ action: 'sqs:SendMessageBatch', mode: 'fail-after-execution', rate: 0.3 }], seed);
 */
export class FaultingProxy {
  private readonly server = createServer((from, to) => void this.pass(from, to));
  private readonly agent = new Agent({ keepAlive: true });
  private rules: readonly ActiveRule[] = [];
  /** Happens before a call is passed on: a change of the account, or a delay. @default - nothing */
  meanwhile: (action: string) => Promise<void> = async () => {};
  /** The calls since `play`, in the order of their arrival. */
  calls: ProxiedCall[] = [];

  private constructor(private readonly aws: string) {}

  /** Starts a proxy without rules. @param aws the URL of the embedded AWS */
  static async before(aws: string): Promise<FaultingProxy> {
    const proxy = new FaultingProxy(aws);
    await new Promise<void>(resolve => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Where it answers. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Replaces the rules. Each applies to the calls it names; the first that answers or drops a call ends it. */
  play(rules: readonly FaultRule[], seed: number | string = 0): void {
    this.calls = [];
    this.rules = rules.map((rule, index) => ({
      rule,
      draws: new Random(`${seed}/${index}`),
      applied: 0,
      tokens: Math.max(1, rule.perSecond ?? 0),
      filledAtMs: performance.now(),
    }));
  }

  /** How many calls of an operation arrived since `play`. */
  countOf(action: string): number {
    return this.calls.filter(call => call.action === action).length;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
  }

  private async pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = await buffer(from);
    const { url: path = '/', method = 'GET' } = from;
    const headers = Object.fromEntries(Object.entries(from.headers).map(([name, value]) => [name, String(value)]));
    const wire: WireRequest = { method, path, headers, body, host: '', protocol: 'http' };
    const model = models.get(credentialScopeOf(wire)?.service ?? '');
    if (!model) return this.forward(wire, to);
    const protocol = protocolOf(wire, model);
    const service = iamName(model);
    const action = `${service}:${protocol.parse(model, wire).action ?? ''}`;
    await this.meanwhile(action);
    const faults = this.rules.filter(it => applies(it, action)).map(({ rule }) => rule);
    this.calls.push({ action, faults: faults.map(({ mode }) => mode) });
    for (const { mode } of faults) {
      if (mode === 'drop') return void to.destroy();
      else if (mode === 'drop-answer') return this.forward(wire, to, () => to.destroy());
      const error = errorOf(mode, service, action);
      if (!error) continue;
      const answer = protocol.refusal(model, error, '00000000-0000-4000-8000-000000000000');
      if (mode === 'fail-after-execution') return this.forward(wire, to, () => send(to, answer));
      return send(to, answer);
    }
    return this.forward(wire, to);
  }

  /** @param instead answers in place of AWS. @default - AWS's answer */
  private async forward(
    { method, path, headers, body }: WireRequest,
    to: ServerResponse,
    instead?: () => void,
  ): Promise<void> {
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = { method, headers, agent: this.agent };
        request(new URL(path, this.aws), sent, resolve).on('error', reject).end(body);
      });
      const text = await buffer(answer);
      if (instead) return instead();
      const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _, ...others } = answer.headers;
      to.writeHead(answer.statusCode ?? 500, { ...others, 'content-length': text.byteLength });
      to.end(text);
    } catch {
      // AWS has dropped the connection, and so does the proxy.
      to.destroy();
    }
  }
}

function send(to: ServerResponse, { status, headers, body }: WireAnswer): void {
  to.writeHead(status, { ...headers, 'content-length': body.byteLength });
  to.end(body);
}

function names(rule: FaultRule, action: string): boolean {
  return rule.action === '*' || rule.action === action || rule.action === `${action.split(':')[0]}:*`;
}

/** Whether a rule applies to this call. It counts the call. */
function applies(active: ActiveRule, action: string): boolean {
  const { rule, draws } = active;
  if (!names(rule, action) || active.applied >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
  if (rule.rate !== undefined && draws.fraction() >= rule.rate) return false;
  if (rule.perSecond !== undefined && takesToken(active, rule.perSecond)) return false;
  active.applied += 1;
  return true;
}

/** A bucket that holds a second's worth of calls, as AWS's do. */
function takesToken(active: ActiveRule, perSecond: number): boolean {
  const nowMs = performance.now();
  active.tokens = Math.min(Math.max(1, perSecond), active.tokens + ((nowMs - active.filledAtMs) / 1_000) * perSecond);
  active.filledAtMs = nowMs;
  if (active.tokens < 1) return false;
  active.tokens -= 1;
  return true;
}
