import type { AwsError } from '../kernel/aws-error';
import type { Reply } from '../network/network';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson, awsQueryJson } from './protocols/json-protocol';
import { awsQuery } from './protocols/query-protocol';
import type { WireAnswer, WireProtocol, WireRequest } from './protocols/wire-protocol';
import { ServiceModel } from './service-model';

const NAMELESS = 'aws';

/**
 * Services, besides those of the query protocol, whose errors are XML. So are the errors of requests for no service.
 */
const SPEAK_XML: readonly string[] = ['s3', NAMELESS];

type Refused = Pick<WireRequest, 'method' | 'path' | 'headers'>;

/**
 * The error for a request to a service that is not simulated, or to no service.
 *
 * @param service as in host names. @default - no service
 */
export function refusalTo(request: Refused, error: AwsError, requestId: string, service = NAMELESS): Reply {
  const model = new ServiceModel({ name: service }, () => ({}));
  return replyOf(protocolOf(request, model).refusal(model, error, requestId));
}

export function replyOf({ status, headers, body }: WireAnswer): Reply {
  return { kind: 'response', status, headers, body };
}

/** S3 and the services of the query protocol speak XML; all others understand an error in AWS JSON. */
function protocolOf(request: Refused, model: ServiceModel): WireProtocol {
  const spoken = [rpcV2Cbor, awsJson, awsQueryJson].find(protocol => protocol.speaks(request, model));
  if (spoken) return spoken;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm || SPEAK_XML.includes(model.name) ? awsQuery : awsJson;
}
