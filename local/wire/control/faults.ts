import { isoInstant, LAST_INSTANT_MS } from '../../kernel/clock';
import type { ActiveFault, Fault } from '../../kernel/faults';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { type ControlInput, type ControlledSimulation, type ControlRoute, parsedBody, THE_BODY } from './route';

const STATUS_RULE = 'must be a status from 400 to 599, or throttle';

/**
 * `PUT`: makes a service answer with errors, or late, for some time. `GET`: returns the active faults. `DELETE`: ends
 * every fault.
 */
export const FAULTS_ROUTE: ControlRoute = {
  PUT: (simulation, { body }: ControlInput) => {
    simulation.faults.set(faultOf(new MemberReader(parsedBody(body), THE_BODY), simulation));
    return listed(simulation);
  },
  GET: listed,
  DELETE: simulation => {
    simulation.faults.clear();
    return listed(simulation);
  },
};

function faultOf(reader: MemberReader, { clock: { nowMs }, faults }: ControlledSimulation): Fault {
  const subject = faults.readSubject(reader);
  const status = reader.optional('status', STATUS_RULE, isStatus);
  const throttle = reader.flag('throttle') === true || status === 'throttle';
  const forSeconds = reader.number('forSeconds', 0, Math.floor((LAST_INSTANT_MS - nowMs) / 1000));
  const problems = reader.allProblems();
  if (!subject || problems.length > 0) throw new InvalidInput(problems);
  return {
    ...subject,
    ...(throttle && { throttle }),
    ...(status !== 'throttle' && { httpStatus: status }),
    ...(forSeconds !== undefined && { forMs: forSeconds * 1000 }),
  };
}

const isStatus = (value: unknown): value is number | 'throttle' =>
  value === 'throttle' || (Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599);

function listed({ faults }: ControlledSimulation): object {
  return { faults: faults.all.map(faultDocument) };
}

function faultDocument({
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
