import { gunzipSync } from 'node:zlib';
import { JsonCodec2 } from '@smithy/core/protocols';
import { AwsError } from '../kernel/aws-error';
import { readJson } from './json-reader';
import type { Operation, ServiceModel } from './service-model';
import { ShapeError } from './shape-error';
import type { ParsedRequest, WireAnswer, WireProtocol, WireRequest } from './wire-protocol';

/** Seconds since the Unix epoch, the form of a timestamp in AWS JSON. */
const EPOCH_SECONDS = 7;
const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024;

const codec = new JsonCodec2({ timestampFormat: { useTrait: true, default: EPOCH_SECONDS }, jsonName: false });

/**
 * AWS JSON 1.0 and 1.1: a POST whose `X-Amz-Target` names the action.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
export const awsJson: WireProtocol = {
  malformed: 'SerializationException',

  speaks: ({ headers }) => headers['x-amz-target'] !== undefined,

  parse: ({ targetPrefix }, request): ParsedRequest => {
    const [prefix, action] = request.headers['x-amz-target']?.split('.') ?? [];
    return {
      action: prefix === targetPrefix ? action : undefined,
      input: ({ input }) => readJson(input, parsedBody(request)),
    };
  },

  answer: (_model: ServiceModel, { output }: Operation, value: unknown, requestId: string): WireAnswer => {
    if (output.isUnitSchema()) return reply(200, requestId, Buffer.alloc(0));
    const serializer = codec.createSerializer();
    serializer.write(output, value ?? {});
    const { buffer, byteOffset, byteLength } = serializer.flush();
    return reply(200, requestId, Buffer.from(buffer, byteOffset, byteLength));
  },

  refusal: ({ errorShapes }, error, requestId): WireAnswer => {
    const { code, message, httpStatus, fault } = error;
    const __type = errorShapes.get(code) ?? `com.amazon.coral.service#${code}`;
    const blamed = fault === 'client' ? 'Sender' : 'Receiver';
    return {
      ...reply(httpStatus, requestId, Buffer.from(JSON.stringify({ __type, message }))),
      headers: { ...jsonHeaders(requestId), 'x-amzn-query-error': `${code};${blamed}` },
    };
  },

  unknownAction: action =>
    new AwsError('UnknownOperationException', `The operation ${action ?? 'requested'} is not known.`, 404),
};

const jsonHeaders = (requestId: string): Record<string, string> => ({
  'content-type': 'application/x-amz-json-1.0',
  'x-amzn-requestid': requestId,
});

function reply(status: number, requestId: string, body: Uint8Array): WireAnswer {
  return { status, headers: jsonHeaders(requestId), body };
}

function parsedBody({ headers, body }: WireRequest): unknown {
  try {
    const bytes =
      headers['content-encoding'] === 'gzip' ? gunzipSync(body, { maxOutputLength: MAX_UNZIPPED_BYTES }) : body;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return value;
  } catch {
    // Whatever the zip, text or JSON parser minds, AWS answers the same.
    throw new ShapeError('', 'must be a JSON document in UTF-8', Buffer.from(body).toString('latin1').slice(0, 60));
  }
}
