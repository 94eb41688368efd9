import type { SessionCredentials } from '../../kernel/access';
import { arnIn } from '../../kernel/place';
import type { ServiceContext } from '../../kernel/service-api';
import type { OutgoingRequest, Reply } from '../../network/network';
import { GatewayFailure, misconfigured } from '../model/gateway-response';
import type { AwsIntegration, MockIntegration, ProxyIntegration } from '../model/method';
import type { RestApi } from '../model/rest-api';
import { type Stage, settingFor, TokenBucket } from '../model/rest-api';
import type { ApiGatewayDependencies, GatewayLog } from '../ports';
import type { ApiGatewayTraceEvent } from '../trace-events';
import { type BackendAnswer, type ClientAnswer, clientAnswer, failureAnswer } from './client-answer';
import { type Exchange, route, startExchange } from './exchange';
import { integrationBody, integrationRequest } from './integration-request';
import { invokeProxy, timedOut } from './proxy-integration';
import { authorize, validate } from './request-checks';
import { logRequest } from './request-log';

/** Answers the requests to one API, in the same order of steps as API Gateway. */
export class Executor {
  private readonly sessions = new Map<string, SessionCredentials>();

  constructor(
    private readonly context: ServiceContext<ApiGatewayTraceEvent>,
    private readonly neighbours: ApiGatewayDependencies,
    private readonly gatewayLog: GatewayLog,
    private readonly api: RestApi,
  ) {}

  readonly answer = (request: OutgoingRequest): Reply | Promise<Reply> => {
    const requestId = this.context.random.uuid();
    const [, stageName = '', path = '/'] = /^\/([^/?]*)([^?]*)/.exec(request.path) ?? [];
    const stage = this.api.stages.get(stageName);
    if (!stage) return this.noSuchStage(requestId);
    const { place, timeline } = this.context;
    const match = route(stage.deployment, request.method, path);
    const exchange = startExchange({
      api: this.api,
      stage,
      request,
      path: path === '' ? '/' : path,
      match,
      requestId,
      startedAtMs: timeline.nowMs,
      place,
    });
    return this.guarded(exchange, () => this.run(exchange, stage));
  };

  private run(exchange: Exchange, stage: Stage): Reply | Promise<Reply> {
    const { error, latencyMs } = this.fault(exchange);
    if (error) return this.end(exchange, error, latencyMs);
    if (latencyMs > 0) return this.later(latencyMs, () => this.guarded(exchange, () => this.execute(exchange, stage)));
    return this.execute(exchange, stage);
  }

  /** A fault's latency passes before anything else happens. */
  private later(latencyMs: number, run: () => Reply | Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.context.timeline.after(latencyMs, () => {
        Promise.resolve(run()).then(resolve, reject);
      });
    });
  }

  private execute(exchange: Exchange, stage: Stage): Reply | Promise<Reply> {
    const { match, request } = exchange;
    if (!match) throw new GatewayFailure('MISSING_AUTHENTICATION_TOKEN', 'There is no such resource or method');
    this.throttle(stage, match.resource.path, request.method);
    authorize(exchange, { ...this.neighbours, ...this.context });
    validate(exchange);
    const { integration } = match.method;
    if (integration.type === 'AWS_PROXY') return this.callFunction(exchange, integration);
    return integration.type === 'MOCK' ? this.mock(exchange, integration) : this.callService(exchange, integration);
  }

  /** Returns the answer and the latency of a fault that covers the request. */
  private fault({ api, stage, request, path }: Exchange): {
    readonly error?: ClientAnswer;
    readonly latencyMs: number;
  } {
    const { faults, place } = this.context;
    const arn = arnIn(place, 'execute-api', `${api.id}/${stage.name}/${request.method}${path}`);
    const latencyMs = faults.latencyMs('execute-api', 'Invoke', arn);
    const error = faults.check('execute-api', 'Invoke', arn);
    if (!error) return { latencyMs };
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': error.code };
    const body = JSON.stringify({ message: error.message });
    return { error: { status: error.httpStatus, headers, body }, latencyMs };
  }

  private throttle(stage: Stage, resourcePath: string, httpMethod: string): void {
    const limits = settingFor(stage, resourcePath, httpMethod)?.throttle;
    if (!limits) return;
    const key = `${resourcePath}/${httpMethod}`;
    let bucket = stage.tokenBuckets.get(key);
    if (!bucket) {
      bucket = new TokenBucket(this.context.timeline, limits.rateLimit, limits.burstLimit);
      stage.tokenBuckets.set(key, bucket);
    }
    if (!bucket.take()) throw new GatewayFailure('THROTTLED', 'Rate or burst limit exceeded');
  }

  /** Answers for a mock integration, whose request template sets the status. */
  private mock(exchange: Exchange, integration: MockIntegration): Reply {
    const status = mockStatus(integrationBody(exchange, integration));
    exchange.integrationLatencyMs = 0;
    return this.end(exchange, clientAnswer(exchange, integration, { status, headers: {}, body: '' }), 0);
  }

  private callService(exchange: Exchange, integration: AwsIntegration): Reply | Promise<Reply> {
    const { sessions, neighbours, context } = this;
    const outgoing = integrationRequest(exchange, integration, { ...neighbours, place: context.place, sessions });
    const reply = this.neighbours.network.send(outgoing);
    const finish = (answered: Reply): Reply => this.finish(exchange, integration, answered);
    return reply instanceof Promise
      ? reply.then(answered => this.guarded(exchange, () => finish(answered)))
      : finish(reply);
  }

  /** The function runs on after the timeout, as on AWS. */
  private callFunction(exchange: Exchange, integration: ProxyIntegration): Promise<Reply> {
    const { timeline, place } = this.context;
    const { functions } = this.neighbours;
    const ended = (run: () => Reply): Reply | Promise<Reply> => {
      exchange.integrationLatencyMs = timeline.nowMs - exchange.startedAtMs;
      return this.guarded(exchange, run);
    };
    const answering = new Promise<ClientAnswer>((resolve, reject) => {
      const late = timeline.after(integration.timeoutMs, () => reject(timedOut()));
      invokeProxy(exchange, integration, { functions, place })
        .finally(() => late.cancel())
        .then(resolve, reject);
    });
    return answering.then(
      answer => ended(() => this.end(exchange, answer, 0)),
      (error: unknown) =>
        ended(() => {
          throw error;
        }),
    );
  }

  private finish(exchange: Exchange, integration: AwsIntegration, reply: Reply): Reply {
    const { timeoutMs } = integration;
    const waitedMs = this.context.timeline.nowMs - exchange.startedAtMs;
    const tookMs = reply.kind === 'silence' ? Number.POSITIVE_INFINITY : waitedMs + (reply.latencyMs ?? 0);
    exchange.integrationLatencyMs = Math.min(tookMs, timeoutMs);
    if (tookMs > timeoutMs || reply.kind === 'silence') {
      throw timedOut();
    }
    if (reply.kind === 'no-answer') {
      const reason = `Execution failed due to a network error communicating with endpoint: ${reply.code}`;
      throw new GatewayFailure('INTEGRATION_FAILURE', reason);
    }
    const answer: BackendAnswer = {
      status: reply.status,
      headers: reply.headers,
      body: Buffer.from(reply.body).toString('utf8'),
    };
    exchange.context['integration'] = {
      status: answer.status,
      integrationStatus: answer.status,
      latency: exchange.integrationLatencyMs,
      requestId: answer.headers['x-amzn-requestid'],
    };
    return this.end(exchange, clientAnswer(exchange, integration, answer), exchange.integrationLatencyMs - waitedMs);
  }

  /** Converts every failure to an answer. */
  private guarded(exchange: Exchange, run: () => Reply | Promise<Reply>): Reply | Promise<Reply>;
  private guarded(exchange: Exchange, run: () => Reply): Reply;
  private guarded(exchange: Exchange, run: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      const waitedMs = this.context.timeline.nowMs - exchange.startedAtMs;
      const aheadMs = Math.max((exchange.integrationLatencyMs ?? 0) - waitedMs, 0);
      return this.end(exchange, failureAnswer(exchange, error), aheadMs, error);
    }
  }

  /** @param aheadMs how long after now the answer arrives */
  private end(exchange: Exchange, answer: ClientAnswer, aheadMs: number, failure?: GatewayFailure): Reply {
    const { timeline, metrics, trace } = this.context;
    const latencyMs = timeline.nowMs + aheadMs - exchange.startedAtMs;
    const log = (): void =>
      logRequest(exchange, { answer, failure, latencyMs }, { log: this.gatewayLog, metrics, trace });
    if (aheadMs > 0) timeline.after(aheadMs, log);
    else log();
    return this.reply(exchange.requestId, answer, aheadMs);
  }

  /** Answers for a stage that does not exist. It has no log. */
  private noSuchStage(requestId: string): Reply {
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'ForbiddenException' };
    return this.reply(requestId, { status: 403, headers, body: '{"message":"Forbidden"}' }, 0);
  }

  private reply(requestId: string, { status, headers, body }: ClientAnswer, latencyMs: number): Reply {
    const bytes = Buffer.from(body);
    return {
      kind: 'response',
      status,
      headers: {
        'x-amzn-requestid': requestId,
        ...headers,
        'content-length': String(bytes.byteLength),
      },
      body: bytes,
      latencyMs,
    };
  }
}

function mockStatus(body: string): number {
  const text = `Execution failed: a mock's request template must give {"statusCode": …}, got ${body}`;
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw misconfigured(text);
  }
  const { statusCode } = Object(answer);
  if (typeof statusCode !== 'number') throw misconfigured(text);
  return statusCode;
}
