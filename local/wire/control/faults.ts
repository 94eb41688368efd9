import { isoInstant } from '../../kernel/clock';
import { type ActiveFault, FAULTY_SERVICES, type Fault, type FaultyService } from '../../kernel/faults';
import { BodyReader, parsedBody } from './body-reader';
import type { ControlInput, ControlledWorld, ControlRoute } from './route';

const STATUS_RULE = 'must be a status from 400 to 599, or throttle';

/** `PUT`: a service answers errors, or late, for a while. `GET`: those that hold. `DELETE`: every fault ends. */
export const FAULTS_ROUTE: ControlRoute = {
  PUT: (world, { body }: ControlInput) => {
    world.faults.set(faultOf(new BodyReader(parsedBody(body)), world.clock.nowMs));
    return listed(world);
  },
  GET: listed,
  DELETE: world => {
    world.faults.clear();
    return listed(world);
  },
};

function faultOf(reader: BodyReader, nowMs: number): Fault {
  const service = reader.optional('service', `must be one of ${FAULTY_SERVICES.join(', ')}`, isService);
  if (!reader.has('service')) reader.refuse('service', `must be one of ${FAULTY_SERVICES.join(', ')}`, undefined);
  const action = reader.text('action');
  const resource = reader.text('resource');
  const status = reader.optional('status', STATUS_RULE, isStatus);
  const code = reader.text('code');
  const latencyMs = reader.number('latencyMs', 0);
  const forSeconds = reader.number('forSeconds', 0);
  reader.check();
  return {
    service: service ?? 'sqs',
    action,
    resource,
    code,
    latencyMs,
    ...(status === 'throttle' ? { throttle: true } : { httpStatus: status }),
    ...(forSeconds !== undefined && { untilMs: nowMs + forSeconds * 1000 }),
  };
}

const isService = (value: unknown): value is FaultyService => FAULTY_SERVICES.some(name => name === value);

const isStatus = (value: unknown): value is number | 'throttle' =>
  value === 'throttle' || (Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599);

function listed({ faults }: ControlledWorld): object {
  return { faults: faults.all.map(told) };
}

function told({
  service,
  action,
  resource,
  httpStatus,
  throttle,
  code,
  latencyMs,
  fromMs,
  untilMs,
}: ActiveFault): object {
  const status = throttle === true ? 'throttle' : httpStatus;
  const until = Number.isFinite(untilMs) ? isoInstant(untilMs) : undefined;
  return { service, action, resource, status, code, latencyMs, from: isoInstant(fromMs), until };
}
