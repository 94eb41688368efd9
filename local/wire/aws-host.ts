import type { Credentials } from '../kernel/access';
import { AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller, Latency } from '../kernel/caller';
import { Constraints } from '../kernel/constraints';
import { isObject } from '../kernel/json';
import type { Random } from '../kernel/random';
import { credentialScopeOf, unsigned } from '../kernel/request-signature';
import type { Scheduler } from '../kernel/timeline';
import type { Recorder } from '../kernel/trace';
import type { Host, OutgoingRequest, Reply } from '../network/network';
import { isObserved } from './observer';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson, awsQueryJson } from './protocols/json-protocol';
import { awsQuery } from './protocols/query-protocol';
import { awsRestJson } from './protocols/rest-json-protocol';
import { awsRestXml } from './protocols/rest-xml-protocol';
import { type ParsedRequest, ShapeError, unzipped, type WireProtocol } from './protocols/wire-protocol';
import { replyOf } from './refusal';
import { ANY, type Operation, type ServiceModel } from './service-model';
import type { WireTraceEvent } from './trace-events';
import { unreadMember } from './unread-members';

/** A service as the wire calls it: any `Api`, with any actions. */
export interface WireService {
  /** Whether the service implements the action. @default every action of the SDK's client */
  implements?(action: string): boolean;
  /** `never`, because only the schema decides what is passed: by then the input has the action's shape. */
  call(action: never, caller: Caller, input: never): unknown;
}

export interface AwsHostProps {
  readonly model: ServiceModel;
  readonly service: WireService;
  readonly credentials: Credentials;
  /** The Region of the host. Signatures must be for it. @default - signatures for any Region are accepted */
  readonly region?: string;
  /** A stream of its own for request ids. */
  readonly random: Random;
  readonly trace: Recorder<WireTraceEvent>;
  /** Reports errors of the embedded AWS itself. */
  readonly timeline: Pick<Scheduler, 'after'>;
}

const PROTOCOLS: readonly WireProtocol[] = [awsRestXml, awsRestJson, rpcV2Cbor, awsJson, awsQueryJson, awsQuery];

/**
 * The endpoint of one AWS service, for example `sqs.us-east-1.amazonaws.com`, in each protocol that its clients may
 * use. It always answers as AWS would: it never throws or rejects. Errors of the embedded AWS itself are thrown at the
 * next call that moves time, because a client would take them for an outage and retry.
 */
export function awsHost(props: AwsHostProps): Host {
  return request => new Exchange(props, request).reply();
}

/** The request id of an observer. */
const OBSERVED_ID = '00000000-0000-0000-0000-000000000000';

/** One request and its answer. */
class Exchange {
  private readonly requestId: string;
  private readonly protocol: WireProtocol;
  private readonly latency: Latency = { ms: 0 };
  private action: string | undefined;

  constructor(
    private readonly props: AwsHostProps,
    private readonly request: OutgoingRequest,
  ) {
    this.requestId = isObserved(request.headers) ? OBSERVED_ID : props.random.uuid();
    this.protocol = protocolOf(request, props.model);
  }

  reply(): Reply | Promise<Reply> {
    try {
      const { props, protocol, request } = this;
      const parsed = protocol.parse(props.model, unzipped(request));
      this.action = parsed.action;
      const operation = operationOf(props.model, props.service, protocol, parsed);
      const caller = this.caller(operation);
      const input = parsed.input(operation);
      checkMembers(props.model, operation, input);
      const output = props.service.call(operation.name as never, caller, input as never);
      if (output instanceof Promise) return this.later(operation, output);
      return this.afterLatency(this.answer(operation, output));
    } catch (error) {
      return this.afterLatency(this.refusal(error));
    }
  }

  private later(operation: Operation, output: Promise<unknown>): Promise<Reply> {
    return output
      .then(it => this.answer(operation, it))
      .catch(error => this.refusal(error))
      .then(reply => this.afterLatency(reply));
  }

  private caller({ name }: Operation): Caller {
    const { request, latency, protocol } = this;
    const { model, credentials } = this.props;
    const { accessKeyId: accessKey, region } = credentialScopeOf(request) ?? {};
    if (!model.isGlobal && region !== undefined && region !== (this.props.region ?? region)) {
      const code = protocol.ownErrorsEnd === '' ? 'SignatureDoesNotMatch' : 'InvalidSignatureException';
      throw new AwsError(code, 'Credential should be scoped to a valid region.', 403);
    }
    if (accessKey === undefined && model.unsignedActions !== ANY && !model.unsignedActions.includes(name)) {
      throw unsigned(request, protocol.ownErrorsEnd);
    }
    const { principal, context } = credentials.caller(accessKey);
    return {
      principal,
      context,
      traceHeader: request.headers['x-amzn-trace-id'],
      latency,
      onGone: request.onGone,
      isAnonymous: accessKey === undefined,
      isObserver: isObserved(request.headers),
    };
  }

  private answer(operation: Operation, output: unknown): Reply {
    const { model } = this.props;
    const reported = atAddress(model, output, this.request.reachedAt);
    return replyOf(this.protocol.answer(model, operation, reported, this.requestId));
  }

  private refusal(error: unknown): Reply {
    const awsError = asAwsError(error, this.protocol);
    if (!awsError) this.comeToLight(error);
    return replyOf(this.protocol.refusal(this.props.model, awsError ?? internalFailure(error), this.requestId));
  }

  private comeToLight(error: unknown): void {
    const { trace, timeline, model } = this.props;
    trace.record({ type: 'wire.failed', service: model.name, action: this.action, error: String(error) });
    timeline.after(0, () => {
      throw error;
    });
  }

  /** Delays the answer when a fault makes the service slow. */
  private afterLatency(reply: Reply): Reply | Promise<Reply> {
    const { ms } = this.latency;
    if (ms === 0) return reply;
    return new Promise(resolve => this.props.timeline.after(ms, () => resolve(reply)));
  }
}

/** The protocol in which a request to a service is written, and its answer. */
export function protocolOf(request: Pick<OutgoingRequest, 'headers'>, model: ServiceModel): WireProtocol {
  for (const protocol of PROTOCOLS) if (protocol.speaks(request, model)) return protocol;
  return awsQuery;
}

/** The action of a request; undefined when the request names none. */
export function requestedAction(model: ServiceModel, request: OutgoingRequest): string | undefined {
  return readable(() => protocolOf(request, model).parse(model, unzipped(request)).action);
}

/** The input of a request; undefined when the request cannot be read. */
export function requestedInput(model: ServiceModel, request: OutgoingRequest): object | undefined {
  return readable(() => {
    const parsed = protocolOf(request, model).parse(model, unzipped(request));
    const operation = model.operations.get(parsed.action ?? '');
    const input = operation && parsed.input(operation);
    return isObject(input) ? input : undefined;
  });
}

/** What cannot be read is undefined. The service reports why, as soon as it reads the request itself. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError || error instanceof AwsError) return undefined;
    throw error;
  }
}

function operationOf(
  model: ServiceModel,
  service: WireService,
  protocol: WireProtocol,
  { action }: ParsedRequest,
): Operation {
  const operation = model.operations.get(action ?? '');
  if (!operation) throw protocol.unknownAction(action, model);
  if (service.implements?.(operation.name) === false) {
    throw notImplemented(`${model.name}:${operation.name}`);
  }
  return operation;
}

/** Converts an error to what AWS would answer; undefined for an error of the embedded AWS itself. */
function asAwsError(error: unknown, protocol: WireProtocol): AwsError | undefined {
  if (error instanceof AwsError) return error;
  return error instanceof ShapeError ? new AwsError(protocol.malformed, error.message) : undefined;
}

function internalFailure(error: unknown): AwsError {
  return new AwsError('InternalFailure', `The embedded AWS failed: ${String(error)}`, 500);
}

/**
 * Checks that a request has every member that the API model requires, and none that would be ignored silently.
 *
 * @throws AwsError naming all missing members, or `NotImplemented` naming one that no action reads
 */
export function checkMembers(model: ServiceModel, operation: Operation, input: unknown): void {
  checkRequired(model, operation, input);
  const unread = unreadMember(model.name, operation.name, input);
  if (unread !== undefined) throw notImplemented(`${unread} of ${model.name}:${operation.name}`);
}

/** AWS checks this before it looks up the resource. Some services report missing members in their own words. */
function checkRequired({ missingMemberCode: code }: ServiceModel, operation: Operation, input: unknown): void {
  if (code === undefined) return;
  const given = isObject(input) ? input : {};
  const constraints = new Constraints(text => new AwsError(code, text));
  for (const member of operation.requiredMembers) constraints.notNull(decapitalized(member), given[member]);
  constraints.check();
}

/** AWS spells members in lower camel case in these errors. */
const decapitalized = (member: string): string => member.charAt(0).toLowerCase() + member.slice(1);

const QUEUE_URL = /^https:\/\/sqs\.[^/]+(\/\d{12}\/[^/]+)$/;
const API_URL = /^https:\/\/([a-z0-9]+)\.execute-api\.[^/]+(\/.*)?$/;

/**
 * Rewrites AWS's URLs in a service's output so that the client can reach them. SDKs send a queue's requests to the host
 * in its URL, and a browser can only resolve the host it uses already.
 *
 * @param reachedAt the base URL at which the client reaches the embedded AWS; undefined if it uses AWS's own host names,
 *   because then no URL changes
 */
function atAddress({ urlMembers }: ServiceModel, output: unknown, reachedAt: string | undefined): unknown {
  if (reachedAt === undefined || urlMembers.length === 0 || !isObject(output)) return output;
  if (urlMembers === 'any') return everywhere(output, reachedAt);
  let changed = output;
  for (const name of urlMembers) {
    if (output[name] !== undefined) changed = { ...changed, [name]: everywhere(output[name], reachedAt) };
  }
  return changed;
}

/** Moves a URL of AWS to another base URL; returns any other text unchanged. */
export function urlAt(url: string, reachedAt: string): string {
  const [, queue] = QUEUE_URL.exec(url) ?? [];
  if (queue !== undefined) return reachedAt + queue;
  const [, api, path = '/'] = API_URL.exec(url) ?? [];
  return api === undefined ? url : `${reachedAt}/_aws/execute-api/${api}${path}`;
}

function everywhere(value: unknown, reachedAt: string): unknown {
  if (typeof value === 'string') return urlAt(value, reachedAt);
  if (Array.isArray(value)) return value.map(item => everywhere(item, reachedAt));
  if (!isObject(value) || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everywhere(member, reachedAt)]));
}
