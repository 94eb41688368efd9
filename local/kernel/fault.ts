import { AWS_SERVICES, type AwsService } from './aws-service';
import { LAST_INSTANT_MS } from './clock';
import type { MemberReader } from './member-reader';

/** CloudWatch by its own name: its hosts, and so a fault too, call it `monitoring`. */
const CLOUDWATCH = 'cloudwatch';

export type FaultyService = AwsService | typeof CLOUDWATCH | 'execute-api';

/** The services that can be made to fail. */
export const FAULTY_SERVICES: readonly FaultyService[] = [
  ...AWS_SERVICES,
  CLOUDWATCH,
  'execute-api',
].sort() as FaultyService[];

/** An AWS service that answers errors, or late, for a while: towards clients, functions and other services alike. */
export interface Fault {
  readonly service: FaultyService;
  /** Only this action, by the name it has in AWS's API. @default every action */
  readonly action?: string | undefined;
  /** Only this resource, by ARN. @default every resource */
  readonly resource?: string | undefined;
  /** First instant at which it holds, in milliseconds since the Unix epoch. @default now */
  readonly fromMs?: number | undefined;
  /** First instant at which it no longer holds, in milliseconds since the Unix epoch. @default for ever */
  readonly untilMs?: number | undefined;
  /** How long it holds, in milliseconds, in place of `untilMs`. @default for ever */
  readonly forMs?: number | undefined;
  /** From 400 to 599. @default 503, but for a fault that has nothing but `latencyMs` */
  readonly httpStatus?: number | undefined;
  /** @default 'ServiceUnavailable' */
  readonly code?: string | undefined;
  /** The service throttles: it answers the code, text and status it has for that. @default false */
  readonly throttle?: boolean | undefined;
  /** How long the answer takes, in milliseconds; by itself it is late, and no error. @default 0 */
  readonly latencyMs?: number | undefined;
}

/** The names of a service's actions; undefined where nobody knows them. */
export type ActionsOf = (service: FaultyService) => Iterable<string> | undefined;

/** What a fault is about, whoever words the rest of it. */
export type FaultSubject = Pick<Fault, 'service' | 'action' | 'resource' | 'code' | 'latencyMs'>;

const SERVICE_RULE = `must be one of ${FAULTY_SERVICES.join(', ')}`;

const isService = (value: unknown): value is FaultyService => FAULTY_SERVICES.some(name => name === value);

/** Reads what a fault is about; undefined, with the problem noted, when it names no service. */
export function readFaultSubject(reader: MemberReader, nowMs: number, actionsOf: ActionsOf): FaultSubject | undefined {
  const named = reader.optional('service', SERVICE_RULE, isService);
  if (!reader.has('service')) reader.refuse('service', SERVICE_RULE, undefined);
  const service = named === 'monitoring' ? CLOUDWATCH : named;
  const action = reader.text('action');
  const actions = service && [...(actionsOf(service) ?? [])];
  if (action !== undefined && actions && actions.length > 0 && !actions.includes(action)) {
    const meant = actions.find(name => name.toLowerCase() === action.toLowerCase());
    const instead = meant === undefined ? '' : `, for example ${meant}`;
    reader.refuse('action', `must be an action of ${named}${instead}`, action);
  }
  const resource = reader.optional('resource', 'must be the ARN of a resource', isArn);
  const code = reader.text('code');
  const latencyMs = reader.number('latencyMs', 0, LAST_INSTANT_MS - nowMs);
  return service && { service, action, resource, code, latencyMs };
}

const isArn = (value: unknown): value is string => typeof value === 'string' && value.startsWith('arn:');

/** Reads a fault whose members are named as `Fault` names them. */
export function readFault(reader: MemberReader, nowMs: number, actionsOf: ActionsOf): Fault | undefined {
  const subject = readFaultSubject(reader, nowMs, actionsOf);
  const fromMs = reader.number('fromMs', -LAST_INSTANT_MS, LAST_INSTANT_MS);
  // A fault that was read from another has no end rather than none.
  const untilMs = reader.number('untilMs', -LAST_INSTANT_MS, Number.POSITIVE_INFINITY);
  const forMs = reader.number('forMs', 0, LAST_INSTANT_MS - Math.max(nowMs, fromMs ?? nowMs));
  if (untilMs !== undefined && forMs !== undefined) reader.refuse('forMs', 'must not be given with untilMs', forMs);
  const httpStatus = reader.wholeNumber('httpStatus', 400, 599);
  const throttle = reader.flag('throttle');
  return subject && { ...subject, fromMs, untilMs, forMs, httpStatus, throttle };
}
