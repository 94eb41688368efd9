import { AwsError } from '../../kernel/aws-error';
import type { Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import type { Recorder } from '../../kernel/trace';
import { awsHostName, defaultAddressOf } from '../../network/addresses';
import type { Host, OutgoingRequest, Reply } from '../../network/network';
import type { OutsideWorld } from '../../network/outside-world';
import { isObserved } from '../observer';
import { refusalTo } from '../refusal';
import type { WireTraceEvent } from '../trace-events';
import { isSimulated, type OtherServices } from './other-services';

interface UnsimulatedServicesProps {
  readonly place: Pick<Place, 'urlSuffix'>;
  readonly regions: Iterable<string>;
  readonly outside: OutsideWorld;
  readonly services: OtherServices;
  readonly trace: Recorder<WireTraceEvent>;
  /** A stream of its own for request ids. */
  readonly random: Random;
}

/**
 * Answers for every host that is not attached to the network. Hosts outside AWS, and AWS hosts that a scenario has
 * scripted, belong to the outside world. Other AWS hosts answer what a scenario has set for their service, or else 501,
 * because an empty 200 would look like success.
 */
export function unsimulatedServices({
  place,
  regions,
  outside,
  services,
  trace,
  random,
}: UnsimulatedServicesProps): Host {
  const notImplemented = (request: OutgoingRequest, service: string, region: string | undefined): Reply => {
    const { host, method } = request;
    const action = actionOf(request);
    const isObserver = isObserved(request.headers);
    if (!isObserver) {
      trace.record({
        type: 'wire.not-implemented',
        host,
        service,
        ...(region !== undefined && { region }),
        method,
        ...(action !== undefined && { action }),
      });
    }
    const asked = action === undefined ? service : `${service}:${action}`;
    const where = region === undefined ? '' : ` in ${region}`;
    const error = new AwsError(
      'NotImplemented',
      `The embedded AWS simulates ${[...regions].join(', ')} and does not implement ${asked}${where} (${host}). ` +
        (isSimulated(service)
          ? `To simulate that Region, name it in the env of a stack, or in the option places. ` +
            `A scenario can define the answer: aws.endpoint('${host}').behave(…), or PUT /_dlo/endpoints/${host}`
          : `A scenario can answer it: aws.service('${service}').answer('${action ?? 'Operation'}', …), or forward it to ` +
            `an emulator: aws.service('${service}').forwardTo('http://…'), or PUT /_dlo/services/${service}`),
      501,
    );
    return refusalTo(request, error, isObserver ? '' : random.uuid(), service);
  };
  return request => {
    const { host, address } = request;
    const isElsewhere = outside.has(host) || (address !== undefined && address !== defaultAddressOf(host));
    const named = isElsewhere ? undefined : awsHostName(host, place.urlSuffix);
    if (!named) return outside.answer(request);
    const { service, region } = named;
    const refused = (error: unknown): Reply => {
      if (error instanceof AwsError) return refusalTo(request, error, random.uuid(), service);
      throw error;
    };
    try {
      if (isObserved(request.headers)) return notImplemented(request, service, region);
      const reply = services.find(service)?.replyTo({ request, region }) ?? notImplemented(request, service, region);
      return reply instanceof Promise ? reply.catch(refused) : reply;
    } catch (error) {
      return refused(error);
    }
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
