import { XmlShapeSerializer } from '@aws-sdk/core/protocols';
import type { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';
import { AwsError } from '../../kernel/aws-error';
import type { Operation, ServiceModel } from '../service-model';
import { scalarFromText, withDoublesAsText } from './scalars';
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

type MemberSchema = StaticStructureSchema[5][number];

const structure = (name: string, members: Readonly<Record<string, MemberSchema>>): StaticStructureSchema => [
  STRUCTURE,
  '',
  name,
  NO_TRAITS,
  Object.keys(members),
  Object.values(members),
];

const METADATA = structure('ResponseMetadata', { RequestId: STRING });
const DETAIL = structure('Detail', {});
const ERROR = structure('Error', { Type: STRING, Code: STRING, Message: STRING });
/** The errors of SQS have an empty element more. */
const ERROR_WITH_DETAIL = structure('Error', { Type: STRING, Code: STRING, Message: STRING, Detail: () => DETAIL });
const errorEnvelope = (error: StaticStructureSchema) =>
  structure('ErrorResponse', { Error: () => error, RequestId: STRING });
const ERROR_ENVELOPE = errorEnvelope(ERROR);
const DETAILED_ENVELOPE = errorEnvelope(ERROR_WITH_DETAIL);

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

  parse: (model, request): ParsedRequest => {
    const parameters = QueryNode.of([...urlParameters(request), ...parsedForm(request.body)]);
    const action = parameters.child('Action')?.value;
    const address = addressIn(model, request);
    if (address && !takes(model, action, address)) throw invalidAction(action);
    return {
      action,
      input: ({ input }) => {
        if (input.isUnitSchema()) return {};
        const { member } = address ?? {};
        const given = address && member !== undefined && member in input.getMemberSchemas();
        return { ...(given && { [address.member]: address.url }), ...readStructure(input, parameters) };
      },
    };
  },

  answer: (model, operation, output, requestId): WireAnswer =>
    xml(200, requestId, model, envelopeOf(operation), {
      [`${operation.name}Result`]: withDoublesAsText(output ?? {}),
      ResponseMetadata: { RequestId: requestId },
    }),

  refusal: (model, error, requestId): WireAnswer => {
    const { code, httpStatus, fault } = error;
    if (code === NO_ACTION) return noAction(httpStatus, requestId);
    const text = textIn(model, error);
    return xml(httpStatus, requestId, model, model.query ? DETAILED_ENVELOPE : ERROR_ENVELOPE, {
      Error: {
        Type: fault === 'client' ? 'Sender' : 'Receiver',
        Code: code,
        Message: text === '' ? undefined : text,
        Detail: {},
      },
      RequestId: requestId,
    });
  },

  unknownAction: (action, model) => {
    if (action !== undefined) return invalidAction(action);
    if (model.query) return new AwsError(NO_ACTION, '', 404);
    return new AwsError('MissingAction', 'The request must contain the parameter Action.');
  },
};

/** The error of SQS for a request without an action. It has a form of its own, also for clients that accept JSON. */
export const NO_ACTION = 'UnknownOperationException';

function noAction(status: number, requestId: string): WireAnswer {
  return { status, headers: { 'x-amzn-requestid': requestId }, body: Buffer.from(`<${NO_ACTION}/>\n`) };
}

function invalidAction(action: string | undefined): AwsError {
  return new AwsError('InvalidAction', `The action ${action} is not valid for this endpoint.`);
}

export function textIn({ query }: ServiceModel, { code, message }: AwsError): string {
  return query?.texts.get(code) ?? message;
}

function envelopeOf(operation: Operation): StaticStructureSchema {
  const known = envelopes.get(operation);
  if (known) return known;
  const { name, output } = operation;
  const envelope = structure(`${name}Response`, {
    ...(!output.isUnitSchema() && { [`${name}Result`]: () => output.getSchema() }),
    ResponseMetadata: () => METADATA,
  });
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

/** The resource that the URL of a request names. */
interface Address {
  readonly member: string;
  readonly url: string;
}

/** A query request may name its queue by the path: `/123456789012/orders`. */
function addressIn({ query }: ServiceModel, { protocol, host, path }: WireRequest): Address | undefined {
  const [where = ''] = path.split('?');
  if (!query?.addressed.path.test(where)) return undefined;
  return { member: query.addressed.member, url: `${protocol}://${host}${where}` };
}

/** Whether an action may be sent to the URL of a resource. Unknown actions are reported elsewhere. */
function takes({ operations, query }: ServiceModel, action: string | undefined, { member }: Address): boolean {
  const operation = operations.get(action ?? '');
  if (!operation || query?.addressed.others.includes(operation.name)) return true;
  return !operation.input.isUnitSchema() && member in operation.input.getMemberSchemas();
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
