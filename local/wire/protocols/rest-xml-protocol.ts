import { XmlShapeDeserializer, XmlShapeSerializer } from '@aws-sdk/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticStructureSchema } from '@smithy/types';
import { AwsError } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import type { ServiceModel } from '../service-model';
import { answerBody, boundMembers, headersOf, readInput, restMatch } from './rest-json-protocol';
import { type ParsedRequest, ShapeError, type WireAnswer, type WireProtocol, type WireRequest } from './wire-protocol';

/** An ISO 8601 instant, the form of a timestamp in XML. */
const DATE_TIME = 5;
const ERROR: StaticStructureSchema = [3, '', 'Error', 0, ['Code', 'Message', 'RequestId'], [0, 0, 0]];

/**
 * REST with XML, for S3 and a few others. Method, path and query identify the operation. The bucket of S3 is in the host's
 * name, or the first part of the path.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-restxml-protocol.html
 */
export const awsRestXml: WireProtocol = {
  malformed: 'MalformedXML',
  ownErrorsEnd: '',

  speaks: (_request, model) => model.restXml && model.isRest,

  parse: (model, request): ParsedRequest => {
    const { bucket, path } = model.name === 's3' ? bucketOf(request) : { bucket: undefined, path: request.path };
    const match = restMatch(model, request.method, path);
    const labels = new Map([...(match?.labels ?? []), ...(bucket === undefined ? [] : [['Bucket', bucket] as const])]);
    return {
      action: match?.operation.name,
      input: ({ input }) => (match ? readInput(input, labels, { ...request, path }, readXml) : {}),
    };
  },

  answer: (model, operation, output, requestId): WireAnswer => {
    const value = isObject(output) ? output : {};
    const members = boundMembers(operation.output);
    return {
      status: operation.http?.status ?? 200,
      headers: {
        'content-type': 'application/xml',
        'x-amz-request-id': requestId,
        ...Object.fromEntries(members.flatMap(member => headersOf(member, value[member.name]))),
      },
      body: answerBody(operation, value, (schema, part) => written(model, schema, part)),
    };
  },

  refusal: (model, { code, message, httpStatus }, requestId): WireAnswer => ({
    status: httpStatus,
    headers: { 'content-type': 'application/xml', 'x-amz-request-id': requestId },
    body: written(model, NormalizedSchema.of(ERROR), { Code: code, Message: message, RequestId: requestId }),
  }),

  unknownAction: () => new AwsError('MethodNotAllowed', 'No operation lives at this path and method.', 405),
};

const settings = (model?: ServiceModel) => ({
  xmlNamespace: model?.xmlNamespace ?? '',
  serviceNamespace: model?.name ?? '',
  httpBindings: true,
  timestampFormat: { useTrait: true, default: DATE_TIME } as const,
});

function written(model: ServiceModel, schema: NormalizedSchema, value: unknown): Uint8Array {
  const serializer = new XmlShapeSerializer(settings(model));
  serializer.write(schema, value);
  return Buffer.from(serializer.flush());
}

function readXml(schema: NormalizedSchema, body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  try {
    return new XmlShapeDeserializer(settings()).read(schema, body);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ShapeError(`must be XML (${error.message})`, Buffer.from(body.subarray(0, 60)).toString('latin1'));
  }
}

const BUCKET_HOST = /^(.+)\.s3[.-]/;

function bucketOf({ host, path }: WireRequest): { readonly bucket: string | undefined; readonly path: string } {
  const inHost = BUCKET_HOST.exec(host)?.[1];
  if (inHost !== undefined) return { bucket: inHost, path };
  const [, bucket = '', rest = ''] = /^\/([^/?]*)(.*)$/.exec(path) ?? [];
  if (bucket === '') return { bucket: undefined, path };
  return { bucket: decodeURIComponent(bucket), path: rest.startsWith('/') ? rest : `/${rest}` };
}
