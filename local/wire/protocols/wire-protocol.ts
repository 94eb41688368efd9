import type { AwsError } from '../../kernel/aws-error';
import type { OutgoingRequest } from '../../network/network';
import type { Operation, ServiceModel } from '../service-model';

/** A request as it came, from the network in memory or from a socket. */
export type WireRequest = Pick<OutgoingRequest, 'method' | 'path' | 'headers' | 'body' | 'host' | 'protocol'>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One request, understood as far as a protocol understands it without the service's shapes. */
export interface ParsedRequest {
  /** The action asked for, if it names one. */
  readonly action: string | undefined;
  /** @throws ShapeError when the request does not have the shape of the action's input */
  input(operation: Operation): unknown;
}

/** How requests and answers look on the wire. It knows no sockets and no services. */
export interface WireProtocol {
  /** Whether the request, sent to this service, is in this protocol. */
  speaks(request: Pick<WireRequest, 'headers'>, model: ServiceModel): boolean;
  /** @throws ShapeError when it cannot even be parsed */
  parse(model: ServiceModel, request: WireRequest): ParsedRequest;
  answer(model: ServiceModel, operation: Operation, output: unknown, requestId: string): WireAnswer;
  refusal(model: ServiceModel, error: AwsError, requestId: string): WireAnswer;
  /** What AWS answers to a request it cannot read. */
  readonly malformed: string;
  /** How the codes of errors end that are about no service in particular: `MissingAuthenticationToken` or `…Exception`. */
  readonly ownErrorsEnd: '' | 'Exception';
  /** What AWS answers to an action it does not know. */
  unknownAction(action: string | undefined): AwsError;
}
