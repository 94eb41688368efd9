import type { Operation } from '../service-model';
import { JsonWriters } from './json-writer';
import { awsQuery } from './query-protocol';
import type { WireAnswer, WireProtocol } from './wire-protocol';

const resultWriters = new JsonWriters();

/**
 * AWS Query with answers in JSON, for whoever accepts nothing else: API Gateway's integrations do. Every member of the
 * result is there, null when it has no value.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/integrating-api-with-aws-services-sns.html
 */
export const awsQueryJson: WireProtocol = {
  malformed: awsQuery.malformed,
  ownErrorsEnd: '',

  speaks: ({ headers }) => headers['accept']?.split(';')[0]?.trim() === 'application/json',

  parse: awsQuery.parse,

  answer: (_model, operation, output, requestId): WireAnswer =>
    json(200, requestId, {
      [`${operation.name}Response`]: {
        ...(operation.output.isUnitSchema() ? {} : { [`${operation.name}Result`]: result(operation, output) }),
        ResponseMetadata: { RequestId: requestId },
      },
    }),

  refusal: (_model, { code, message, httpStatus, fault }, requestId): WireAnswer =>
    json(httpStatus, requestId, {
      Error: { Code: code, Message: message, Type: fault === 'client' ? 'Sender' : 'Receiver' },
      RequestId: requestId,
    }),

  unknownAction: awsQuery.unknownAction,
};

function result({ output }: Operation, value: unknown): Readonly<Record<string, unknown>> {
  const members: Readonly<Record<string, unknown>> = JSON.parse(resultWriters.of(output)(value));
  return Object.fromEntries([...output.structIterator()].map(([name]) => [name, members[name] ?? null]));
}

function json(status: number, requestId: string, document: object): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId },
    body: Buffer.from(JSON.stringify(document)),
  };
}
