import { accessKeyOf, unsigned } from '../kernel/authorization';
import { AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller, Latency } from '../kernel/caller';
import type { Credentials } from '../kernel/credentials';
import type { Random } from '../kernel/random';
import type { Scheduler } from '../kernel/timeline';
import type { Recorder } from '../kernel/trace';
import type { Host, OutgoingRequest, Reply } from '../network/network';
import { atAddress } from './client-address';
import type { WireTraceEvent } from './happenings';
import { unzipped } from './protocols/body';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson } from './protocols/json-protocol';
import { awsQueryJson } from './protocols/query-json-protocol';
import { awsQuery } from './protocols/query-protocol';
import { awsRestJson } from './protocols/rest-json-protocol';
import { ShapeError } from './protocols/shape-error';
import type { ParsedRequest, WireProtocol } from './protocols/wire-protocol';
import { replyOf } from './refusal';
import { checkRequired } from './required-members';
import type { Operation, ServiceModel } from './service-model';

/** A service as the wire calls it: any `Api`, whatever its actions. */
export interface WireService {
  /** Whether there is such an action. @default every action of the SDK's client */
  implements?(action: string): boolean;
  /** `never`, because the schema alone decides what goes in: by then the input has the action's shape. */
  call(action: never, caller: Caller, input: never): unknown;
}

export interface AwsHostProps {
  readonly model: ServiceModel;
  readonly service: WireService;
  readonly credentials: Credentials;
  /** A stream of its own: it draws request ids. */
  readonly random: Random;
  readonly trace: Recorder<WireTraceEvent>;
  /** Where what is our own fault comes to light. */
  readonly timeline: Pick<Scheduler, 'after'>;
}

const PROTOCOLS: readonly WireProtocol[] = [awsRestJson, rpcV2Cbor, awsJson, awsQueryJson, awsQuery];

/**
 * The endpoint of one AWS service, for example `sqs.us-east-1.amazonaws.com`, in each protocol its clients may speak.
 * Whatever comes in, an AWS answer goes out: it never throws and never rejects. What went wrong in here, and not by AWS's
 * rules, is thrown at whoever moves time next: a client would take it for an outage, and try again.
 */
export function awsHost(props: AwsHostProps): Host {
  return request => new Exchange(props, request).reply();
}

/** One request, and how it is answered. */
class Exchange {
  private readonly requestId: string;
  private readonly protocol: WireProtocol;
  private readonly latency: Latency = { ms: 0 };
  private action: string | undefined;

  constructor(
    private readonly props: AwsHostProps,
    private readonly request: OutgoingRequest,
  ) {
    this.requestId = props.random.uuid();
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
      checkRequired(props.model, operation, input);
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
    const accessKey = accessKeyOf(request);
    if (accessKey === undefined && !model.unsignedActions.includes(name)) {
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

  /** A fault may have made the service slow. */
  private afterLatency(reply: Reply): Reply | Promise<Reply> {
    const { ms } = this.latency;
    if (ms === 0) return reply;
    return new Promise(resolve => this.props.timeline.after(ms, () => resolve(reply)));
  }
}

function protocolOf(request: OutgoingRequest, model: ServiceModel): WireProtocol {
  for (const protocol of PROTOCOLS) if (protocol.speaks(request, model)) return protocol;
  return awsQuery;
}

function operationOf(
  model: ServiceModel,
  service: WireService,
  protocol: WireProtocol,
  { action }: ParsedRequest,
): Operation {
  const operation = model.operations.get(action ?? '');
  if (!operation) throw protocol.unknownAction(action);
  if (service.implements?.(operation.name) === false) {
    throw notImplemented(`${model.name}:${operation.name}`);
  }
  return operation;
}

/** What AWS would answer; undefined for an error that is ours. */
function asAwsError(error: unknown, protocol: WireProtocol): AwsError | undefined {
  if (error instanceof AwsError) return error;
  return error instanceof ShapeError ? new AwsError(protocol.malformed, error.message) : undefined;
}

function internalFailure(error: unknown): AwsError {
  return new AwsError('InternalFailure', `The embedded AWS failed: ${String(error)}`, 500);
}
