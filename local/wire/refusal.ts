import type { AwsError } from '../kernel/aws-error';
import type { Reply } from '../network/network';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson, awsQueryJson } from './protocols/json-protocol';
import { awsQuery } from './protocols/query-protocol';
import type { WireAnswer, WireProtocol, WireRequest } from './protocols/wire-protocol';
import { ServiceModel } from './service-model';

const NAMELESS = 'aws';

/** Beside those that are sent forms. What is for no service is told in the older form, too. */
const SPEAK_XML: readonly string[] = ['s3', NAMELESS];

type Refused = Pick<WireRequest, 'method' | 'path' | 'headers'>;

/**
 * An error to a request for a service that is not here, or for none at all.
 *
 * @param service as host names call it. @default - none
 */
export function refusalTo(request: Refused, error: AwsError, requestId: string, service = NAMELESS): Reply {
  const model = new ServiceModel({ name: service }, () => ({}));
  return replyOf(protocolOf(request, model).refusal(model, error, requestId));
}

export function replyOf({ status, headers, body }: WireAnswer): Reply {
  return { kind: 'response', status, headers, body };
}

/** The services that speak XML are S3 and those that are sent forms; all others understand an error in AWS JSON. */
function protocolOf(request: Refused, model: ServiceModel): WireProtocol {
  const spoken = [rpcV2Cbor, awsJson, awsQueryJson].find(protocol => protocol.speaks(request, model));
  if (spoken) return spoken;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm || SPEAK_XML.includes(model.name) ? awsQuery : awsJson;
}
