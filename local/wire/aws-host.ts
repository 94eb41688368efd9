import { AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller, Latency } from '../kernel/caller';
import type { Credentials } from '../kernel/credentials';
import type { Random } from '../kernel/random';
import type { Scheduler } from '../kernel/timeline';
import type { Recorder } from '../kernel/trace';
import type { Host, Reply } from '../network/network';
import { accessKeyOf, unsigned } from './authorization';
import { atAddress } from './client-address';
import type { WireHappening } from './happenings';
import { unzipped } from './protocols/body';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson } from './protocols/json-protocol';
import { awsQueryJson } from './protocols/query-json-protocol';
import { awsQuery } from './protocols/query-protocol';
import { awsRestJson } from './protocols/rest-json-protocol';
import { ShapeError } from './protocols/shape-error';
import type { ParsedRequest, WireProtocol, WireRequest } from './protocols/wire-protocol';
import { replyOf } from './refusal';
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
  readonly trace: Recorder<WireHappening>;
  /** Where what is our own fault comes to light. */
  readonly timeline: Pick<Scheduler, 'after'>;
}

const PROTOCOLS: readonly WireProtocol[] = [awsRestJson, rpcV2Cbor, awsJson, awsQueryJson, awsQuery];

/**
 * The endpoint of one AWS service, for example `sqs.us-east-1.amazonaws.com`, in each protocol its clients may speak.
 * Whatever comes in, an AWS answer goes out: it never throws and never rejects. What went wrong in here, and not by AWS's
 * rules, is thrown at whoever moves time next: a client would take it for an outage, and try again.
 */
export function awsHost({ model, service, credentials, random, trace, timeline }: AwsHostProps): Host {
  return request => {
    const requestId = random.uuid();
    const protocol = PROTOCOLS.find(it => it.speaks(request, model)) ?? awsQuery;
    const latency: Latency = { ms: 0 };
    let action: string | undefined;
    const refuse = (error: unknown): Reply => {
      const awsError = asAwsError(error, protocol);
      if (!awsError) comeToLight(error, { type: 'wire.failed', service: model.name, action, error: String(error) });
      return replyOf(protocol.refusal(model, awsError ?? internalFailure(error), requestId));
    };
    const comeToLight = (error: unknown, happening: WireHappening): void => {
      trace.record(happening);
      timeline.after(0, () => {
        throw error;
      });
    };
    const afterLatency = (reply: Reply): Reply | Promise<Reply> =>
      latency.ms === 0 ? reply : new Promise(resolve => timeline.after(latency.ms, () => resolve(reply)));
    try {
      const parsed = protocol.parse(model, unzipped(request));
      action = parsed.action;
      const operation = operationOf(model, service, protocol, parsed);
      const caller = { ...callerOf(model, operation, credentials, request, protocol), latency, onGone: request.onGone };
      const answer = (output: unknown): Reply =>
        replyOf(protocol.answer(model, operation, atAddress(model, output, request.reachedAt), requestId));
      const output = service.call(operation.name as never, caller, parsed.input(operation) as never);
      if (output instanceof Promise) return output.then(answer).catch(refuse).then(afterLatency);
      return afterLatency(answer(output));
    } catch (error) {
      return afterLatency(refuse(error));
    }
  };
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

function callerOf(
  model: ServiceModel,
  { name }: Operation,
  credentials: Credentials,
  request: WireRequest,
  protocol: WireProtocol,
): Caller {
  const accessKey = accessKeyOf(request);
  if (accessKey === undefined && !model.unsignedActions.includes(name)) {
    throw unsigned(request, protocol.ownErrorsEnd);
  }
  return {
    ...credentials.caller(accessKey),
    traceHeader: request.headers['x-amzn-trace-id'],
    isAnonymous: accessKey === undefined,
  };
}

/** What AWS would answer; undefined for an error that is ours. */
function asAwsError(error: unknown, protocol: WireProtocol): AwsError | undefined {
  if (error instanceof AwsError) return error;
  return error instanceof ShapeError ? new AwsError(protocol.malformed, error.message) : undefined;
}

function internalFailure(error: unknown): AwsError {
  return new AwsError('InternalFailure', `The embedded AWS failed: ${String(error)}`, 500);
}
