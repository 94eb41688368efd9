import type { NormalizedSchema } from '@smithy/core/schema';
import { AwsError } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import type { Operation, ServiceModel } from '../service-model';
import { DocumentReaders, JSON_FORMAT } from './document-reader';
import { JsonWriters } from './json-writer';
import { awsQuery, NO_ACTION, textIn } from './query-protocol';
import { type ParsedRequest, parsedJson, type WireAnswer, type WireProtocol } from './wire-protocol';

const readers = new DocumentReaders(JSON_FORMAT);
const writers = new JsonWriters();

/**
 * AWS JSON 1.0 and 1.1: a POST whose `X-Amz-Target` names the action.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
export const awsJson: WireProtocol = {
  malformed: 'SerializationException',
  ownErrorsEnd: 'Exception',

  speaks: ({ headers }) => headers['x-amz-target'] !== undefined,

  parse: (model, { headers, body }): ParsedRequest => {
    const target = headers['x-amz-target'] ?? '';
    const dot = target.indexOf('.');
    return {
      action: model.actionOf(target.slice(0, dot), target.slice(dot + 1)),
      input: ({ input }) => readers.of(input)(parsedJson(body)),
    };
  },

  answer: (model: ServiceModel, { output }: Operation, value: unknown, requestId: string): WireAnswer => {
    if (output.isUnitSchema()) return reply(model, 200, requestId, Buffer.alloc(0));
    return reply(model, 200, requestId, Buffer.from(writers.of(output)(value)));
  },

  refusal: (model, { code, message, httpStatus, fault, members }, requestId): WireAnswer => {
    const shape = model.errors.get(code);
    const __type = shape?.fullName ?? `com.amazon.coral.service#${model.query?.jsonNames.get(code) ?? code}`;
    const text = message === '' ? {} : { [shape?.messageMember ?? 'message']: message };
    const body = Buffer.from(JSON.stringify({ __type, ...members, ...text }));
    const answer = reply(model, httpStatus, requestId, body);
    return model.queryCompatible ? withQueryError(answer, code, fault) : answer;
  },

  // Without a text, as dynalite's authors recorded it of DynamoDB.
  unknownAction: () => new AwsError('UnknownOperationException', '', 400),
};

/** Adds the query protocol's error code for clients that used that protocol before. */
export function withQueryError(answer: WireAnswer, code: string, fault: AwsError['fault']): WireAnswer {
  const blamed = fault === 'client' ? 'Sender' : 'Receiver';
  return { ...answer, headers: { ...answer.headers, 'x-amzn-query-error': `${code};${blamed}` } };
}

function reply({ jsonVersion }: ServiceModel, status: number, requestId: string, body: Uint8Array): WireAnswer {
  return {
    status,
    headers: { 'content-type': `application/x-amz-json-${jsonVersion}`, 'x-amzn-requestid': requestId },
    body,
  };
}

const resultWriters = new JsonWriters();

/**
 * AWS Query with answers in JSON, for clients that accept only JSON, such as API Gateway's integrations. Every member
 * of the result and of its structures is present. It is null when it has no value, and a list also when it is empty.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/integrating-api-with-aws-services-sns.html
 */
export const awsQueryJson: WireProtocol = {
  malformed: awsQuery.malformed,
  ownErrorsEnd: '',

  speaks: ({ headers }) => headers['accept']?.split(';')[0]?.trim() === 'application/json',

  parse: awsQuery.parse,

  answer: (model, operation, output, requestId): WireAnswer =>
    json(200, requestId, {
      [`${operation.name}Response`]: {
        ...(operation.output.isUnitSchema() ? {} : { [`${operation.name}Result`]: result(model, operation, output) }),
        ResponseMetadata: { RequestId: requestId },
      },
    }),

  refusal: (model, error, requestId): WireAnswer => {
    const { code, httpStatus, fault } = error;
    if (code === NO_ACTION) return awsQuery.refusal(model, error, requestId);
    return json(httpStatus, requestId, {
      Error: { Code: code, Message: textIn(model, error), Type: fault === 'client' ? 'Sender' : 'Receiver' },
      RequestId: requestId,
    });
  },

  unknownAction: awsQuery.unknownAction,
};

function result(model: ServiceModel, { output }: Operation, value: unknown): unknown {
  return withNulls(model, output, JSON.parse(resultWriters.of(output)(value)));
}

/** Returns JSON in the form of this protocol: maps that are flattened in XML are lists of names and values. */
function withNulls(model: ServiceModel, schema: NormalizedSchema, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (schema.isListSchema() && Array.isArray(value)) {
    return value.length === 0 ? null : value.map(item => withNulls(model, schema.getValueSchema(), item));
  }
  if (!isObject(value)) return value;
  if (schema.isStructSchema()) {
    const members = [...schema.structIterator()].map(([name, member]) => [
      model.query?.jsonMembers.get(name) ?? name,
      withNulls(model, member, value[name]),
    ]);
    return Object.fromEntries(members);
  }
  if (!schema.isMapSchema()) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withNulls(model, schema.getValueSchema(), item)]);
  const { xmlName: key } = schema.getKeySchema().getMergedTraits();
  const { xmlName: item } = schema.getValueSchema().getMergedTraits();
  const isFlat = schema.getMergedTraits().xmlFlattened && key !== undefined && item !== undefined;
  return isFlat ? entries.map(([name, member]) => ({ [key]: name, [item]: member })) : Object.fromEntries(entries);
}

function json(status: number, requestId: string, document: object): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId },
    body: Buffer.from(JSON.stringify(document)),
  };
}
