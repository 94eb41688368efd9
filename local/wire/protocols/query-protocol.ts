import { XmlShapeSerializer } from '@aws-sdk/core/protocols';
import type { StaticStructureSchema } from '@smithy/types';
import { AwsError } from '../../kernel/aws-error';
import type { Operation, ServiceModel } from '../service-model';
import { parsedForm } from './body';
import { QueryNode, readStructure } from './query-reader';
import type { ParsedRequest, WireAnswer, WireProtocol, WireRequest } from './wire-protocol';

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

/** The envelope of each operation's answer, made once. */
const envelopes = new WeakMap<Operation, StaticStructureSchema>();

/**
 * AWS Query: form parameters in, XML out. They may come in the body or in the URL, as a link in a mail has them.
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
      [`${operation.name}Result`]: output ?? {},
      ResponseMetadata: { RequestId: requestId },
    }),

  refusal: (model, { code, message, httpStatus, fault }, requestId): WireAnswer =>
    xml(httpStatus, requestId, model, ERROR_ENVELOPE, {
      Error: { Type: fault === 'client' ? 'Sender' : 'Receiver', Code: code, Message: message },
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

/** A query request to a queue may name it by the path it is sent to: `/123456789012/orders`. */
function addressedQueue(members: object, { protocol, host, path }: WireRequest): { readonly QueueUrl?: string } {
  const [where = ''] = path.split('?');
  const isQueue = 'QueueUrl' in members && /^\/\d{12}\/[^/]+$/.test(where);
  return isQueue ? { QueueUrl: `${protocol}://${host}${where}` } : {};
}
