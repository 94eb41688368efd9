import type { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';
import type { Operation, ServiceModel } from '../service-model';
import { ShapeError } from './wire-protocol';

/** An operation of a REST service, with the values in its path. */
interface RestMatch {
  readonly operation: Operation;
  /** Values of the path's labels, decoded. */
  readonly labels: ReadonlyMap<string, string>;
}

interface Route {
  readonly operation: Operation;
  readonly method: string;
  /** A fixed segment of the path, or the name of a label. */
  readonly segments: readonly (string | { readonly label: string })[];
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
  const labels = route.segments.flatMap((segment, i): [string, string][] =>
    typeof segment === 'string' ? [] : [[segment.label, decoded(segments[i] ?? '', segment.label)]],
  );
  return { operation: route.operation, labels: new Map(labels) };
}

/** Splits a path from its query. */
export function split(path: string): [string, string] {
  const question = path.indexOf('?');
  return question === -1 ? [path, ''] : [path.slice(0, question), path.slice(question + 1)];
}

function fits({ segments, query }: Route, given: readonly string[], givenQuery: string): boolean {
  if (segments.length !== given.length) return false;
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
    segment.startsWith('{') ? { label: segment.slice(1, -1) } : segment,
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
export type Place = 'label' | 'query' | 'query-map' | 'header' | 'header-map' | 'status' | 'payload' | 'body';

/** A member of a shape, and the part of the HTTP message that carries it. */
export interface BoundMember {
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

/** The part of a shape that the body carries. */
export function bodySchema(shape: NormalizedSchema): StaticStructureSchema {
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
