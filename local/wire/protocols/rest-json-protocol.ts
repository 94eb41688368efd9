import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';
import { AwsError } from '../../kernel/aws-error';
import { isObject, type JsonObject } from '../../kernel/json';
import type { Operation, ServiceModel } from '../service-model';
import { DocumentReaders, JSON_FORMAT } from './document-reader';
import { JsonWriters } from './json-writer';
import { scalarFromText } from './scalars';
import {
  decodedText,
  inMember,
  type ParsedRequest,
  parsedJson,
  ShapeError,
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
      input: ({ input }) => (match ? readInput(input, match.labels, request, readJson) : {}),
    };
  },

  answer: (_model, operation, output, requestId): WireAnswer => {
    const value = isObject(output) ? output : {};
    const members = boundMembers(operation.output);
    const status = members.find(({ place }) => place === 'status');
    return {
      status: Number((status && value[status.name]) ?? operation.http?.status ?? 200),
      headers: {
        'content-type': 'application/json',
        'x-amzn-requestid': ownRequestId(value) ?? requestId,
        ...Object.fromEntries(members.flatMap(member => headersOf(member, value[member.name]))),
      },
      body: answerBody(operation, value, (schema, part) => Buffer.from(writers.of(schema)(part))),
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
function ownRequestId({ $metadata }: JsonObject): string | undefined {
  return isObject($metadata) && typeof $metadata['requestId'] === 'string' ? $metadata['requestId'] : undefined;
}

/** Returns the value of a member in a request; undefined when it has none. */
type Finder = (member: BoundMember) => unknown;

type BodyReader = (schema: NormalizedSchema, body: Uint8Array) => unknown;

const readJson: BodyReader = (schema, body) => readers.of(schema)(parsedJson(body));

export function readInput(
  input: NormalizedSchema,
  labels: ReadonlyMap<string, string>,
  request: WireRequest,
  readBody: BodyReader,
): JsonObject {
  const members = boundMembers(input);
  const query = new URLSearchParams(split(request.path)[1]);
  const inBody = members.some(({ place }) => place === 'body')
    ? readBody(NormalizedSchema.of(bodySchema(input)), request.body)
    : undefined;
  const body = isObject(inBody) ? inBody : {};
  const finders: Readonly<Record<Place, Finder>> = {
    label: ({ schema, name }) => scalarFromText(schema, labels.get(name) ?? '', name),
    query: ({ schema, wireName, name }) => fromTexts(schema, query.getAll(wireName), name),
    'query-map': () => Object.fromEntries(query),
    header: ({ schema, wireName, name }) => fromTexts(schema, headerValues(schema, request.headers[wireName]), name),
    'header-map': ({ wireName }) => prefixed(request.headers, wireName),
    status: () => undefined,
    payload: ({ schema }) => payloadOf(schema, request.body, readBody),
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

function prefixed(headers: Readonly<Record<string, string>>, prefix: string): JsonObject {
  const named = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** Reads a body that is one member unchanged: for `Invoke`, the function's event. */
function payloadOf(schema: NormalizedSchema, body: Uint8Array, readBody: BodyReader): unknown {
  if (body.byteLength === 0) return undefined;
  if (schema.isBlobSchema()) return body;
  return schema.isStringSchema() ? decodedText(body, 'a text') : readBody(schema, body);
}

export function headersOf({ place, wireName, schema }: BoundMember, value: unknown): [string, string][] {
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

/** @param write a structure, in the format of the protocol */
export function answerBody(
  { output }: Operation,
  value: JsonObject,
  write: (schema: NormalizedSchema, value: unknown) => Uint8Array,
): Uint8Array {
  const members = boundMembers(output);
  const payload = members.find(({ place }) => place === 'payload');
  if (!payload) {
    const hasBody = members.some(({ place }) => place === 'body');
    return hasBody ? write(NormalizedSchema.of(bodySchema(output)), value) : new Uint8Array();
  }
  const content = value[payload.name];
  if (content === undefined || content === null) return new Uint8Array();
  if (content instanceof Uint8Array) return content;
  return typeof content === 'string' ? Buffer.from(content) : write(payload.schema, content);
}

/** An operation of a REST service, with the values in its path. */
export interface RestMatch {
  readonly operation: Operation;
  /** Values of the path's labels, decoded. */
  readonly labels: ReadonlyMap<string, string>;
}

interface Route {
  readonly operation: Operation;
  readonly method: string;
  /** A fixed segment of the path, or the name of a label. A greedy label, the last one, takes the rest of the path. */
  readonly segments: readonly (string | { readonly label: string; readonly isGreedy: boolean })[];
  /** Query parameters that distinguish operations with the same path. */
  readonly query: readonly (readonly [string, string])[];
}

const routesOfModel = new WeakMap<ServiceModel, readonly Route[]>();

/**
 * Finds the operation of a method and path; undefined when there is none.
 *
 * @param path with its query
 * @throws ShapeError when a label is not percent-encoded UTF-8
 */
export function restMatch(model: ServiceModel, method: string, path: string): RestMatch | undefined {
  const [where = '', query = ''] = split(path);
  const segments = segmentsOf(where);
  const route = routesOf(model).find(it => it.method === method && fits(it, segments, query));
  if (!route) return undefined;
  const labels = route.segments.flatMap((segment, i): [string, string][] => {
    if (typeof segment === 'string') return [];
    const given = segments.slice(i, segment.isGreedy ? undefined : i + 1);
    return [[segment.label, given.map(it => decoded(it, segment.label)).join('/')]];
  });
  return { operation: route.operation, labels: new Map(labels) };
}

/** Splits a path from its query. */
function split(path: string): [string, string] {
  const question = path.indexOf('?');
  return question === -1 ? [path, ''] : [path.slice(0, question), path.slice(question + 1)];
}

function fits({ segments, query }: Route, given: readonly string[], givenQuery: string): boolean {
  const last = segments.at(-1);
  const isGreedy = typeof last === 'object' && last.isGreedy;
  if (isGreedy ? given.length < segments.length : segments.length !== given.length) return false;
  if (!segments.every((segment, i) => typeof segment !== 'string' || segment === given[i])) return false;
  if (query.length === 0) return true;
  const parameters = new URLSearchParams(givenQuery);
  return query.every(([name, value]) => parameters.get(name) === value);
}

/**
 * The routes of a model, most specific first: fixed segments before labels, and routes with a query before those
 * without.
 */
function routesOf(model: ServiceModel): readonly Route[] {
  const known = routesOfModel.get(model);
  if (known) return known;
  const routes = [...model.operations.values()].flatMap(routeOf).sort((a, b) => particularity(b) - particularity(a));
  routesOfModel.set(model, routes);
  return routes;
}

function routeOf(operation: Operation): Route[] {
  const { http } = operation;
  if (!http) return [];
  const [where, query] = split(http.path);
  const segments = segmentsOf(where).map(segment =>
    segment.startsWith('{')
      ? { label: segment.slice(1, -1).replace(/\+$/, ''), isGreedy: segment.endsWith('+}') }
      : segment,
  );
  return [{ operation, method: http.method, segments, query: [...new URLSearchParams(query)] }];
}

function particularity({ segments, query }: Route): number {
  return segments.filter(segment => typeof segment === 'string').length * 10 + query.length;
}

/** Splits a path into segments. As on AWS, a slash at the end makes no difference. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}

function decoded(segment: string, label: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ShapeError('must be percent-encoded UTF-8', segment).within(label);
  }
}

/** The part of the HTTP message that carries a member. */
type Place = 'label' | 'query' | 'query-map' | 'header' | 'header-map' | 'status' | 'payload' | 'body';

/** A member of a shape, and the part of the HTTP message that carries it. */
interface BoundMember {
  readonly name: string;
  readonly schema: NormalizedSchema;
  readonly place: Place;
  /** The name of the parameter or header, or the prefix of such names. */
  readonly wireName: string;
}

const STRUCTURE = 3;

const membersOfShape = new WeakMap<object, readonly BoundMember[]>();

/**
 * The members of a shape with the parts of the HTTP message that carry them.
 *
 * @see https://smithy.io/2.0/spec/http-bindings.html
 */
export function boundMembers(shape: NormalizedSchema): readonly BoundMember[] {
  const key = shape.getSchema();
  if (shape.isUnitSchema() || typeof key !== 'object') return [];
  const known = membersOfShape.get(key);
  if (known) return known;
  const members = [...shape.structIterator()].map(([name, schema]) => boundMember(name, schema));
  membersOfShape.set(key, members);
  return members;
}

function boundMember(name: string, schema: NormalizedSchema): BoundMember {
  const traits = schema.getMergedTraits();
  const bound = (place: Place, wireName = name): BoundMember => ({ name, schema, place, wireName });
  if (traits.httpLabel) return bound('label');
  if (traits.httpQuery) return bound('query', traits.httpQuery);
  if (traits.httpQueryParams) return bound('query-map');
  if (traits.httpHeader) return bound('header', traits.httpHeader.toLowerCase());
  if (traits.httpPrefixHeaders) return bound('header-map', traits.httpPrefixHeaders.toLowerCase());
  if (traits.httpResponseCode) return bound('status');
  return bound(traits.httpPayload ? 'payload' : 'body');
}

const bodies = new WeakMap<object, StaticStructureSchema>();

function bodySchema(shape: NormalizedSchema): StaticStructureSchema {
  const whole = shape.getSchema() as StaticStructureSchema;
  const known = bodies.get(whole);
  if (known) return known;
  const members = boundMembers(shape).filter(({ place }) => place === 'body');
  const body: StaticStructureSchema = [
    STRUCTURE,
    whole[1],
    whole[2],
    whole[3],
    members.map(({ name }) => name),
    members.map(({ name }) => whole[5][whole[4].indexOf(name)] ?? 0),
  ];
  bodies.set(whole, body);
  return body;
}
