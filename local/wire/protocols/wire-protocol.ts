import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { AwsError } from '../../kernel/aws-error';
import { brief } from '../../kernel/constraints';
import { parseJson } from '../../kernel/json';
import type { OutgoingRequest } from '../../network/network';
import type { Operation, ServiceModel } from '../service-model';

/** A request as it arrived, from the in-memory network or from a socket. */
export type WireRequest = Pick<OutgoingRequest, 'method' | 'path' | 'headers' | 'body' | 'host' | 'protocol'>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A request, parsed as far as possible without the service's shapes. */
export interface ParsedRequest {
  readonly action: string | undefined;
  /** @throws ShapeError when the request does not have the shape of the action's input */
  input(operation: Operation): unknown;
}

/** The format of requests and answers on the wire. It is independent of sockets and services. */
export interface WireProtocol {
  speaks(request: Pick<WireRequest, 'headers'>, model: ServiceModel): boolean;
  /** @throws ShapeError when the request cannot be parsed */
  parse(model: ServiceModel, request: WireRequest): ParsedRequest;
  answer(model: ServiceModel, operation: Operation, output: unknown, requestId: string): WireAnswer;
  refusal(model: ServiceModel, error: AwsError, requestId: string): WireAnswer;
  /** The error code for a request that cannot be parsed. */
  readonly malformed: string;
  /** The suffix of error codes that belong to no service: `MissingAuthenticationToken` or `…Exception`. */
  readonly ownErrorsEnd: '' | 'Exception';
  unknownAction(action: string | undefined, model: ServiceModel): AwsError;
}

const SHOWN_CHARACTERS = 60;

/** A request does not have the shape of the action's input. Each protocol reports it in its own form. */
export class ShapeError extends Error {
  private path = '';

  constructor(
    private readonly rule: string,
    private readonly value: unknown,
  ) {
    super();
  }

  /** Extends the error's path by the structure, list or map that holds the member. */
  within(member: string | number): this {
    this.path = this.path === '' ? String(member) : `${member}.${this.path}`;
    return this;
  }

  override get message(): string {
    return `${this.path === '' ? 'The request' : this.path} ${this.rule}, got ${brief(this.value, SHOWN_CHARACTERS)}`;
  }
}

/** Extends the path of a `ShapeError`; returns any other error unchanged. */
export function inMember(member: string | number, error: unknown): unknown {
  return error instanceof ShapeError ? error.within(member) : error;
}

const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024;

/**
 * Decompresses the body of a request. CloudWatch's clients compress long bodies.
 *
 * @throws ShapeError when the body is not gzip, or is larger than any service accepts once decompressed
 * @throws AwsError when no service here supports its encoding
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
    // Whatever zlib reports, AWS answers the same.
    throw new ShapeError('must be in gzip, as its Content-Encoding says', start(request.body));
  }
}

/** Shorter bodies cannot take long to parse. */
const SHORT_BYTES = 256 * 1024;

/** The limit of items, parameters or nesting levels. AWS limits the size of requests, so no valid request has as many parts. */
export const MOST_PARTS = 200_000;

/** @throws ShapeError when a long body has so many parts that parsing it would exhaust the memory of the process */
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

/** @throws ShapeError when the body is not JSON, or is nested too deeply; an empty body is an empty document */
export function parsedJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  checkParts(body, ',[{');
  const text = decodedText(body, 'a JSON document');
  return parseJson(text, words => new ShapeError(`must be a JSON document in UTF-8 (${words})`, start(body)));
}

/** @throws ShapeError when the body is not UTF-8 text */
export function decodedText(body: Uint8Array, what: string): string {
  if (!isUtf8(body)) throw new ShapeError(`must be ${what} in UTF-8`, start(body));
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** @throws ShapeError when the body is not a form in UTF-8 */
export function parsedForm(body: Uint8Array): URLSearchParams {
  checkParts(body, '&');
  return new URLSearchParams(decodedText(body, 'a form'));
}

/** The beginning of a body, to recognize it by. */
function start(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 60)).toString('latin1');
}
