import { CborCodec, cbor } from '@smithy/core/cbor';
import type { ServiceModel } from '../service-model';
import { cborProblem } from './cbor-problem';
import { type DocumentFormat, DocumentReaders, finiteNumber } from './document-reader';
import { awsJson, withQueryError } from './json-protocol';
import { instantFromText } from './scalars';
import { ShapeError } from './shape-error';
import type { ParsedRequest, WireAnswer, WireProtocol } from './wire-protocol';

const PROTOCOL = 'rpc-v2-cbor';
const EPOCH_TAG = 1;
const PATH = /^\/service\/([^/?]+)\/operation\/([^/?]+)$/;

/** CBOR has bytes and instants of its own: an instant is tag 1, seconds since the Unix epoch. */
const CBOR_FORMAT: DocumentFormat = {
  blob: value => {
    if (!(value instanceof Uint8Array)) throw new ShapeError('must be a byte string', value);
    return new Uint8Array(value);
  },
  timestamp: value => {
    if (value instanceof Date) return value;
    if (!isTagged(value) || value.tag !== EPOCH_TAG) throw new ShapeError('must be an instant', value);
    return instantFromText(String(finiteNumber(value.value)));
  },
  number: finiteNumber,
};

const readers = new DocumentReaders(CBOR_FORMAT);
const codec = new CborCodec();

/**
 * Smithy RPC v2 CBOR: a POST to `/service/<prefix>/operation/<action>`, as CloudWatch's newer clients send it.
 *
 * @see https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
 */
export const rpcV2Cbor: WireProtocol = {
  malformed: 'SerializationException',
  ownErrorsEnd: 'Exception',

  speaks: ({ headers }) => headers['smithy-protocol'] === PROTOCOL,

  parse: ({ targetPrefix }, { path, body }): ParsedRequest => {
    const [, service, action] = PATH.exec(path) ?? [];
    return {
      action: service === targetPrefix ? action : undefined,
      input: ({ input }) => readers.of(input)(parsedCbor(body)),
    };
  },

  answer: (_model, { output }, value, requestId): WireAnswer => {
    if (output.isUnitSchema()) return reply(200, requestId, Buffer.alloc(0));
    const serializer = codec.createSerializer();
    serializer.write(output, value ?? {});
    return reply(200, requestId, serializer.flush());
  },

  refusal: (model: ServiceModel, { code, message, httpStatus, fault }, requestId): WireAnswer => {
    const __type = model.errors.get(code)?.fullName ?? `com.amazon.coral.service#${code}`;
    const answer = reply(httpStatus, requestId, Buffer.from(cbor.serialize({ __type, message })));
    return model.queryCompatible ? withQueryError(answer, code, fault) : answer;
  },

  unknownAction: awsJson.unknownAction,
};

function parsedCbor(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  const problem = cborProblem(body);
  if (problem !== undefined) throw malformed(problem, body);
  try {
    const value: unknown = cbor.deserialize(body);
    return value;
  } catch (error) {
    throw malformed(String(error), body);
  }
}

function malformed(problem: string, body: Uint8Array): ShapeError {
  return new ShapeError(`must be a CBOR document: ${problem}`, Buffer.from(body.subarray(0, 30)).toString('hex'));
}

const isTagged = (value: unknown): value is { readonly tag: unknown; readonly value: unknown } =>
  typeof value === 'object' && value !== null && 'tag' in value && 'value' in value;

function reply(status: number, requestId: string, body: Uint8Array): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/cbor', 'smithy-protocol': PROTOCOL, 'x-amzn-requestid': requestId },
    body,
  };
}
