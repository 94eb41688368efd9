import { XmlShapeSerializer } from '@aws-sdk/core/protocols';
import type { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';
import { AwsError } from '../../kernel/aws-error';
import type { Operation, ServiceModel } from '../service-model';
import { withDoublesAsText } from './doubles';
import { scalarFromText } from './scalars';
import {
  inMember,
  type ParsedRequest,
  parsedForm,
  ShapeError,
  type WireAnswer,
  type WireProtocol,
  type WireRequest,
} from './wire-protocol';

/** An ISO 8601 instant, the form of a timestamp in XML answers. */
const DATE_TIME = 5;
const STRUCTURE = 3;
const NO_TRAITS = 0;
const STRING = 0;

const METADATA: StaticStructureSchema = [STRUCTURE, '', 'ResponseMetadata', NO_TRAITS, ['RequestId'], [STRING]];
const ERROR: StaticStructureSchema = [
  STRUCTURE,
  '',
  'Error',
  NO_TRAITS,
  ['Type', 'Code', 'Message'],
  [STRING, STRING, STRING],
];
const ERROR_ENVELOPE: StaticStructureSchema = [
  STRUCTURE,
  '',
  'ErrorResponse',
  NO_TRAITS,
  ['Error', 'RequestId'],
  [() => ERROR, STRING],
];

/** The envelope of each operation's answer, created once. */
const envelopes = new WeakMap<Operation, StaticStructureSchema>();

/**
 * AWS Query: form parameters in, XML out. The parameters may be in the body or in the URL, as in a link in an e-mail.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export const awsQuery: WireProtocol = {
  malformed: 'MalformedInput',
  ownErrorsEnd: '',

  speaks: () => true,

  parse: (_model, request): ParsedRequest => {
    const parameters = QueryNode.of([...urlParameters(request), ...parsedForm(request.body)]);
    return {
      action: parameters.child('Action')?.value,
      input: ({ input }) => {
        if (input.isUnitSchema()) return {};
        return { ...addressedQueue(input.getMemberSchemas(), request), ...readStructure(input, parameters) };
      },
    };
  },

  answer: (model, operation, output, requestId): WireAnswer =>
    xml(200, requestId, model, envelopeOf(operation), {
      [`${operation.name}Result`]: withDoublesAsText(output ?? {}),
      ResponseMetadata: { RequestId: requestId },
    }),

  refusal: (model, { code, message, httpStatus, fault }, requestId): WireAnswer =>
    xml(httpStatus, requestId, model, ERROR_ENVELOPE, {
      Error: {
        Type: fault === 'client' ? 'Sender' : 'Receiver',
        Code: code,
        Message: message === '' ? undefined : message,
      },
      RequestId: requestId,
    }),

  unknownAction: action =>
    action === undefined
      ? new AwsError('MissingAction', 'The request must contain the parameter Action.')
      : new AwsError('InvalidAction', `The action ${action} is not valid for this endpoint.`),
};

function envelopeOf(operation: Operation): StaticStructureSchema {
  const known = envelopes.get(operation);
  if (known) return known;
  const { name, output } = operation;
  const result = output.isUnitSchema() ? [] : [[`${name}Result`, output.getSchema()] as const];
  const members = [...result, ['ResponseMetadata', METADATA] as const];
  const envelope: StaticStructureSchema = [
    STRUCTURE,
    '',
    `${name}Response`,
    NO_TRAITS,
    members.map(([member]) => member),
    members.map(
      ([, schema]) =>
        () =>
          schema,
    ),
  ];
  envelopes.set(operation, envelope);
  return envelope;
}

function xml(
  status: number,
  requestId: string,
  { xmlNamespace, name }: ServiceModel,
  envelope: StaticStructureSchema,
  value: unknown,
): WireAnswer {
  const serializer = new XmlShapeSerializer({
    xmlNamespace,
    serviceNamespace: name,
    httpBindings: false,
    timestampFormat: { useTrait: true, default: DATE_TIME },
  });
  serializer.write(envelope, value);
  return {
    status,
    headers: { 'content-type': 'text/xml', 'x-amzn-requestid': requestId },
    body: Buffer.from(serializer.flush()),
  };
}

function urlParameters({ path }: WireRequest): URLSearchParams {
  const question = path.indexOf('?');
  return new URLSearchParams(question === -1 ? '' : path.slice(question + 1));
}

/** A query request may name its queue by the path: `/123456789012/orders`. */
function addressedQueue(members: object, { protocol, host, path }: WireRequest): { readonly QueueUrl?: string } {
  const [where = ''] = path.split('?');
  const isQueue = 'QueueUrl' in members && /^\/\d{12}\/[^/]+$/.test(where);
  return isQueue ? { QueueUrl: `${protocol}://${host}${where}` } : {};
}

/** The parameters of a request as a tree of their dotted names: `MessageAttributes.entry.1.Name`. */
class QueryNode {
  value: string | undefined;
  private readonly children = new Map<string, QueryNode>();

  static of(parameters: Iterable<readonly [string, string]>): QueryNode {
    const root = new QueryNode();
    for (const [name, value] of parameters) {
      let node = root;
      for (const part of name.split('.')) node = node.enter(part);
      node.value = value;
    }
    return root;
  }

  child(name: string): QueryNode | undefined {
    return this.children.get(name);
  }

  /** Returns the children named 1, 2, 3 … in order, ignoring gaps. */
  numbered(): readonly QueryNode[] {
    return [...this.children]
      .filter(([name]) => /^\d+$/.test(name))
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, node]) => node);
  }

  private enter(name: string): QueryNode {
    const known = this.children.get(name);
    if (known) return known;
    const child = new QueryNode();
    this.children.set(name, child);
    return child;
  }
}

/**
 * Reads a value of the schema's shape from query parameters. A list is `Name.member.1` (or `Name.1` if flattened), a
 * map is `Name.entry.1.key` and `Name.entry.1.value`, with the names of the schema.
 *
 * @param member the name of the member that holds the value, or of its list or map
 * @throws ShapeError naming the member, the rule and the value
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
function readQuery(schema: NormalizedSchema, node: QueryNode, member: string): unknown {
  if (schema.isUnitSchema()) return {};
  if (schema.isStructSchema()) return readStructure(schema, node);
  const { xmlFlattened } = schema.getMergedTraits();
  if (schema.isListSchema()) {
    const item = schema.getValueSchema();
    const list = xmlFlattened ? node : node.child(item.getMergedTraits().xmlName ?? 'member');
    return (list?.numbered() ?? []).map((entry, i) => readMember(item, entry, i + 1, member));
  }
  if (schema.isMapSchema()) return readMap(schema, xmlFlattened ? node : node.child('entry'), member);
  if (node.value === undefined) throw new ShapeError('must be a single value', 'members');
  return scalarFromText(schema, node.value, member);
}

/** Reads the members of a structure that are present. */
function readStructure(schema: NormalizedSchema, node: QueryNode): Readonly<Record<string, unknown>> {
  const members: [string, unknown][] = [];
  for (const [name, member] of schema.structIterator()) {
    const given = node.child(member.getMergedTraits().xmlName ?? name);
    if (given) members.push([name, readMember(member, given, name)]);
  }
  return Object.fromEntries(members);
}

function readMember(schema: NormalizedSchema, node: QueryNode, name: string | number, member = String(name)): unknown {
  try {
    return readQuery(schema, node, member);
  } catch (error) {
    throw inMember(name, error);
  }
}

function readMap(
  schema: NormalizedSchema,
  entries: QueryNode | undefined,
  member: string,
): Readonly<Record<string, unknown>> {
  const item = schema.getValueSchema();
  const keyName = schema.getKeySchema().getMergedTraits().xmlName ?? 'key';
  const valueName = item.getMergedTraits().xmlName ?? 'value';
  const members = (entries?.numbered() ?? []).map((entry, i): [string, unknown] => {
    const key = entry.child(keyName)?.value;
    const value = entry.child(valueName);
    if (key === undefined || !value) {
      throw new ShapeError(`must have a ${keyName} and a ${valueName}`, key).within(i + 1);
    }
    return [key, readMember(item, value, key, member)];
  });
  return Object.fromEntries(members);
}
