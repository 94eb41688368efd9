import { NormalizedSchema } from '@smithy/core/schema';
import { AwsError } from '../../kernel/aws-error';
import { isMembers, type Members } from '../../kernel/json';
import type { Operation, ServiceModel } from '../service-model';
import { DocumentReaders, JSON_FORMAT } from './document-reader';
import { JsonWriters } from './json-writer';
import { type BoundMember, bodySchema, boundMembers, type Place, restMatch, split } from './rest-operation';
import { scalarFromText } from './scalars';
import {
  decodedText,
  inMember,
  type ParsedRequest,
  parsedJson,
  type WireAnswer,
  type WireProtocol,
  type WireRequest,
} from './wire-protocol';

const readers = new DocumentReaders(JSON_FORMAT);
const writers = new JsonWriters();

/**
 * REST with JSON, for Lambda and EventBridge Scheduler. Method and path identify the operation.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
export const awsRestJson: WireProtocol = {
  malformed: 'SerializationException',
  ownErrorsEnd: 'Exception',

  speaks: (_request, model) => model.isRest,

  parse: (model, request): ParsedRequest => {
    const match = restMatch(model, request.method, request.path);
    return {
      action: match?.operation.name,
      input: ({ input }) => (match ? readInput(input, match.labels, request) : {}),
    };
  },

  answer: (_model, operation, output, requestId): WireAnswer => {
    const value = isMembers(output) ? output : {};
    const members = boundMembers(operation.output);
    const status = members.find(({ place }) => place === 'status');
    return {
      status: Number((status && value[status.name]) ?? operation.http?.status ?? 200),
      headers: {
        'content-type': 'application/json',
        'x-amzn-requestid': ownRequestId(value) ?? requestId,
        ...Object.fromEntries(members.flatMap(member => headersOf(member, value[member.name]))),
      },
      body: answerBody(operation, members, value),
    };
  },

  refusal: (model: ServiceModel, { code, message, httpStatus, fault, members }, requestId): WireAnswer => {
    const shape = model.errors.get(code);
    const document = {
      ...(shape?.hasType && { Type: fault === 'client' ? 'User' : 'Service' }),
      ...members,
      [shape?.messageMember ?? 'message']: message,
    };
    return {
      status: httpStatus,
      headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId, 'x-amzn-errortype': code },
      body: Buffer.from(JSON.stringify(document)),
    };
  },

  unknownAction: () => new AwsError('UnknownOperationException', 'No operation lives at this path and method.', 404),
};

/**
 * The request id that the service itself assigned, if any: for an invocation, the function and its log use the same id.
 */
function ownRequestId({ $metadata }: Members): string | undefined {
  return isMembers($metadata) && typeof $metadata['requestId'] === 'string' ? $metadata['requestId'] : undefined;
}

/** Returns the value of a member in a request; undefined when it has none. */
type Finder = (member: BoundMember) => unknown;

function readInput(input: NormalizedSchema, labels: ReadonlyMap<string, string>, request: WireRequest): Members {
  const members = boundMembers(input);
  const query = new URLSearchParams(split(request.path)[1]);
  const inBody = members.some(({ place }) => place === 'body')
    ? readers.of(NormalizedSchema.of(bodySchema(input)))(parsedJson(request.body))
    : undefined;
  const body = isMembers(inBody) ? inBody : {};
  const finders: Readonly<Record<Place, Finder>> = {
    label: ({ schema, name }) => scalarFromText(schema, labels.get(name) ?? '', name),
    query: ({ schema, wireName, name }) => fromTexts(schema, query.getAll(wireName), name),
    'query-map': () => Object.fromEntries(query),
    header: ({ schema, wireName, name }) => fromTexts(schema, headerValues(schema, request.headers[wireName]), name),
    'header-map': ({ wireName }) => prefixed(request.headers, wireName),
    status: () => undefined,
    payload: ({ schema }) => payloadOf(schema, request.body),
    body: ({ name }) => body[name],
  };
  const found = members.map((member): [string, unknown] => {
    try {
      return [member.name, finders[member.place](member)];
    } catch (error) {
      throw inMember(member.name, error);
    }
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function fromTexts(schema: NormalizedSchema, texts: readonly string[], member: string): unknown {
  if (schema.isListSchema()) {
    const item = schema.getValueSchema();
    return texts.length > 0 ? texts.map(text => scalarFromText(item, text, member)) : undefined;
  }
  return texts[0] === undefined ? undefined : scalarFromText(schema, texts[0], member);
}

function headerValues(schema: NormalizedSchema, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return schema.isListSchema() ? value.split(',').map(text => text.trim()) : [value];
}

function prefixed(headers: Readonly<Record<string, string>>, prefix: string): Members {
  const named = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** Reads a body that is one member unchanged: for `Invoke`, the function's event. */
function payloadOf(schema: NormalizedSchema, body: Uint8Array): unknown {
  if (body.byteLength === 0) return undefined;
  if (schema.isBlobSchema()) return body;
  return schema.isStringSchema() ? decodedText(body, 'a text') : readers.of(schema)(parsedJson(body));
}

function headersOf({ place, wireName, schema }: BoundMember, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (place === 'header-map') {
    return Object.entries(value).map(([name, text]) => [wireName + name, String(text)]);
  }
  if (place !== 'header') return [];
  return [[wireName, schema.isListSchema() && Array.isArray(value) ? value.join(', ') : headerText(value)]];
}

function headerText(value: unknown): string {
  return value instanceof Date ? value.toUTCString() : String(value);
}

function answerBody({ output }: Operation, members: readonly BoundMember[], value: Members): Uint8Array {
  const payload = members.find(({ place }) => place === 'payload');
  if (payload) return payloadBytes(payload, value[payload.name]);
  if (!members.some(({ place }) => place === 'body')) return new Uint8Array();
  return Buffer.from(writers.of(NormalizedSchema.of(bodySchema(output)))(value));
}

function payloadBytes({ schema }: BoundMember, value: unknown): Uint8Array {
  if (value === undefined || value === null) return new Uint8Array();
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value);
  return Buffer.from(writers.of(schema)(value));
}
