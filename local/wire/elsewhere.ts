import { AwsError } from '../kernel/aws-error';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Recorder } from '../kernel/trace';
import { awsHostName } from '../network/aws-host-name';
import type { Host, OutgoingRequest } from '../network/network';
import type { OutsideWorld } from '../network/outside-world';
import type { WireHappening } from './happenings';
import { rpcV2Cbor } from './protocols/cbor-protocol';
import { awsJson } from './protocols/json-protocol';
import { awsQueryJson } from './protocols/query-json-protocol';
import { awsQuery } from './protocols/query-protocol';
import type { WireProtocol } from './protocols/wire-protocol';
import { ServiceModel } from './service-model';

export interface ElsewhereProps {
  readonly place: Pick<Place, 'region' | 'urlSuffix'>;
  readonly outside: OutsideWorld;
  readonly trace: Recorder<WireHappening>;
  /** A stream of its own: it draws request ids. */
  readonly random: Random;
}

/**
 * Answers for every host that is not attached. What is not AWS's is the outside world's, and so is a host of AWS's that a
 * scenario has spoken for. The rest of AWS is said to be missing: an empty 200 would look like success.
 */
export function elsewhere({ place, outside, trace, random }: ElsewhereProps): Host {
  return request => {
    const { host, method } = request;
    const named = outside.has(host) ? undefined : awsHostName(host, place.urlSuffix);
    if (!named) return outside.answer(request);
    const { service, region } = named;
    const action = actionOf(request);
    trace.record({
      type: 'wire.not-implemented',
      host,
      service,
      ...(region !== undefined && { region }),
      method,
      ...(action !== undefined && { action }),
    });
    const where = region === undefined ? '' : ` in ${region}`;
    const error = new AwsError(
      'NotImplemented',
      `The embedded AWS, which plays ${place.region}, does not implement ${service}${where} (${host}). ` +
        `A scenario can say what it answers: endpoint('${host}').behave(…)`,
      501,
    );
    const model = unknownService(service);
    const { status, headers, body } = protocolOf(request, model).refusal(model, error, random.uuid());
    return { kind: 'response', status, headers: { ...headers, 'content-length': String(body.byteLength) }, body };
  };
}

/** The services that speak XML are S3 and those that are sent forms; all others understand an error in AWS JSON. */
function protocolOf(request: OutgoingRequest, model: ServiceModel): WireProtocol {
  const spoken = [rpcV2Cbor, awsJson, awsQueryJson].find(protocol => protocol.speaks(request, model));
  if (spoken) return spoken;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm || model.name === 's3' ? awsQuery : awsJson;
}

function actionOf({ headers }: OutgoingRequest): string | undefined {
  return headers['x-amz-target']?.split('.').at(-1);
}

/** As much of a service as it takes to word an error of it. */
function unknownService(name: string): ServiceModel {
  return new ServiceModel({ name }, () => ({}));
}
