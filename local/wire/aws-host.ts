import { AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import type { Credentials } from '../kernel/credentials';
import type { Random } from '../kernel/random';
import type { Host, Reply } from '../network/network';
import { accessKeyOf } from './authorization';
import { awsJson } from './json-protocol';
import { awsQueryJson } from './query-json-protocol';
import { awsQuery } from './query-protocol';
import type { Operation, ServiceModel } from './service-model';
import { ShapeError } from './shape-error';
import type { ParsedRequest, WireAnswer, WireProtocol, WireRequest } from './wire-protocol';

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
}

const PROTOCOLS: readonly WireProtocol[] = [awsJson, awsQueryJson, awsQuery];

/**
 * The endpoint of one AWS service, for example `sqs.us-east-1.amazonaws.com`, in each protocol its clients may speak.
 * Whatever comes in, an AWS answer goes out: it never throws and never rejects.
 */
export function awsHost({ model, service, credentials, random }: AwsHostProps): Host {
  return request => {
    const requestId = random.uuid();
    const protocol = PROTOCOLS.find(it => it.speaks(request)) ?? awsQuery;
    const refuse = (error: unknown): Reply => replyOf(protocol.refusal(model, asAwsError(error, protocol), requestId));
    try {
      const parsed = protocol.parse(model, request);
      const operation = operationOf(model, service, protocol, parsed);
      const caller = callerOf(model, operation, credentials, request);
      const answer = (output: unknown): Reply => replyOf(protocol.answer(model, operation, output, requestId));
      const output = service.call(operation.name as never, caller, parsed.input(operation) as never);
      return output instanceof Promise ? output.then(answer).catch(refuse) : answer(output);
    } catch (error) {
      return refuse(error);
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
    throw new AwsError('NotImplemented', `The embedded AWS does not implement ${model.name}:${operation.name}.`, 501);
  }
  return operation;
}

function callerOf(model: ServiceModel, { name }: Operation, credentials: Credentials, request: WireRequest): Caller {
  const accessKey = accessKeyOf(request);
  if (accessKey === undefined && !model.unsignedActions.includes(name)) {
    throw new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403);
  }
  return { ...credentials.caller(accessKey), traceHeader: request.headers['x-amzn-trace-id'] };
}

function asAwsError(error: unknown, protocol: WireProtocol): AwsError {
  if (error instanceof AwsError) return error;
  if (error instanceof ShapeError) return new AwsError(protocol.malformed, error.message);
  return new AwsError('InternalFailure', `The embedded AWS failed: ${String(error)}`, 500);
}

function replyOf({ status, headers, body }: WireAnswer): Reply {
  return { kind: 'response', status, headers: { ...headers, 'content-length': String(body.byteLength) }, body };
}
