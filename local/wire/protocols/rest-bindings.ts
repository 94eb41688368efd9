import type { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';

/** Where a member of a shape stands in a request or an answer. */
export type Place = 'label' | 'query' | 'query-map' | 'header' | 'header-map' | 'status' | 'payload' | 'body';

/** One member of a shape, and where HTTP carries it. */
export interface BoundMember {
  readonly name: string;
  readonly schema: NormalizedSchema;
  readonly place: Place;
  /** The name of the parameter or header, or what such names begin with. */
  readonly wireName: string;
}

const STRUCTURE = 3;

const membersOfShape = new WeakMap<object, readonly BoundMember[]>();

/**
 * The members of a shape with their places in HTTP.
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

/** As much of a shape as stands in the body. */
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
