import { AwsError } from '../kernel/aws-error';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Recorder } from '../kernel/trace';
import { awsHostName, defaultAddressOf } from '../network/addresses';
import type { Host, OutgoingRequest } from '../network/network';
import type { OutsideWorld } from '../network/outside-world';
import { refusalTo } from './refusal';
import type { WireTraceEvent } from './trace-events';

interface UnsimulatedServicesProps {
  readonly place: Pick<Place, 'region' | 'urlSuffix'>;
  readonly outside: OutsideWorld;
  readonly trace: Recorder<WireTraceEvent>;
  /** A stream of its own for request ids. */
  readonly random: Random;
}

/**
 * Answers for every host that is not attached to the network. Hosts outside AWS, and AWS hosts that a scenario has
 * scripted, belong to the outside world. All other AWS hosts answer 501, because an empty 200 would look like success.
 */
export function unsimulatedServices({ place, outside, trace, random }: UnsimulatedServicesProps): Host {
  return request => {
    const { host, address, method } = request;
    const isElsewhere = outside.has(host) || (address !== undefined && address !== defaultAddressOf(host));
    const named = isElsewhere ? undefined : awsHostName(host, place.urlSuffix);
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
    const asked = action === undefined ? service : `${service}:${action}`;
    const where = region === undefined ? '' : ` in ${region}`;
    const error = new AwsError(
      'NotImplemented',
      `The embedded AWS simulates ${place.region} and does not implement ${asked}${where} (${host}). ` +
        `A scenario can define the answer: aws.endpoint('${host}').behave(…), or PUT /_dlo/endpoints/${host}`,
      501,
    );
    return refusalTo(request, error, random.uuid(), service);
  };
}

/** Clients of the query protocol send the action in the first bytes. */
const FORM_START_BYTES = 4_096;
const FORM = 'application/x-www-form-urlencoded';
const CBOR_PATH = /\/operation\/([A-Za-z0-9]+)$/;

function actionOf({ headers, path, body }: OutgoingRequest): string | undefined {
  const named = headers['x-amz-target']?.split('.').at(-1) ?? CBOR_PATH.exec(path)?.[1];
  if (named !== undefined || !headers['content-type']?.startsWith(FORM)) return named;
  const start = Buffer.from(body.subarray(0, FORM_START_BYTES)).toString('latin1');
  return new URLSearchParams(start).get('Action') ?? undefined;
}
