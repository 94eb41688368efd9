import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { AwsError } from '../../kernel/aws-error';
import { brief } from '../../kernel/constraints';
import { parseJson } from '../../kernel/json';
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

const SHOWN_CHARACTERS = 60;

/** What arrived does not have the shape the action asks for. The protocol says so in its own form. */
export class ShapeError extends Error {
  private path = '';

  constructor(
    private readonly rule: string,
    private readonly value: unknown,
  ) {
    super();
  }

  /** The same, seen from the structure, list or map that holds the member it is about. */
  within(member: string | number): this {
    this.path = this.path === '' ? String(member) : `${member}.${this.path}`;
    return this;
  }

  override get message(): string {
    return `${this.path === '' ? 'The request' : this.path} ${this.rule}, got ${brief(this.value, SHOWN_CHARACTERS)}`;
  }
}

/** Tells a `ShapeError` where it was; anything else goes on as it is. */
export function inMember(member: string | number, error: unknown): unknown {
  return error instanceof ShapeError ? error.within(member) : error;
}

const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024;

/**
 * The request with its body as it was before the client zipped it; CloudWatch's clients do so with long ones.
 *
 * @throws ShapeError when it is no zip, or larger unzipped than any service takes
 * @throws AwsError when it is packed in a way no service here unpacks
 */
export function unzipped<Request extends Pick<WireRequest, 'headers' | 'body'>>(request: Request): Request {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity' || encoding === 'aws-chunked') return request;
  if (encoding !== 'gzip') {
    throw new AwsError('UnsupportedMediaType', `The Content-Encoding must be gzip, got ${encoding}`, 415);
  }
  try {
    return { ...request, body: gunzipSync(request.body, { maxOutputLength: MAX_UNZIPPED_BYTES }) };
  } catch {
    // Whatever zlib minds, AWS answers the same.
    throw new ShapeError('must be in gzip, as its Content-Encoding says', start(request.body));
  }
}

/** Bodies no longer than this hold nothing that takes long to parse. */
const SHORT_BYTES = 256 * 1024;

/** More than any request has, which AWS limits otherwise: its items, parameters, or what it is nested in. */
export const MOST_PARTS = 200_000;

/** @throws ShapeError when a long body is made of so many parts that parsing it would take the memory of the process */
function checkParts(body: Uint8Array, marks: string): void {
  if (body.byteLength <= SHORT_BYTES) return;
  let parts = 0;
  for (const mark of Buffer.from(marks)) {
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > MOST_PARTS)
        throw new ShapeError(`must have no more than ${MOST_PARTS} parts`, `${body.byteLength} bytes`);
    }
  }
}

/** @throws ShapeError when it is not the JSON of anything, or nested too deeply; an empty body is an empty document */
export function parsedJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  checkParts(body, ',[{');
  const text = decodedText(body, 'a JSON document');
  return parseJson(text, words => new ShapeError(`must be a JSON document in UTF-8 (${words})`, start(body)));
}

/** @throws ShapeError when it is no text in UTF-8 */
export function decodedText(body: Uint8Array, what: string): string {
  if (!isUtf8(body)) throw new ShapeError(`must be ${what} in UTF-8`, start(body));
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** @throws ShapeError when it is no form in UTF-8 */
export function parsedForm(body: Uint8Array): URLSearchParams {
  checkParts(body, '&');
  return new URLSearchParams(decodedText(body, 'a form'));
}

/** As much of a body as it takes to recognise it. */
function start(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 60)).toString('latin1');
}
