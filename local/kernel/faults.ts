import { AwsError } from './aws-error';
import { AWS_SERVICES, type AwsService } from './aws-service';
import { type Clock, LAST_INSTANT_MS } from './clock';
import { InvalidInput, MemberReader } from './member-reader';

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

/** How a service throttles. */
type Throttle = readonly [code: string, text: string, httpStatus: number];

const RATE_EXCEEDED: Throttle = ['Throttling', 'Rate exceeded', 400];

/** Where it is not `ThrottlingException`. Each is what clients of the service have been answered on AWS. */
const THROTTLES: Partial<Readonly<Record<FaultyService, Throttle>>> = {
  cloudformation: RATE_EXCEEDED,
  cloudwatch: RATE_EXCEEDED,
  'execute-api': ['TooManyRequestsException', 'Too Many Requests', 429],
  iam: RATE_EXCEEDED,
  lambda: ['TooManyRequestsException', 'Rate Exceeded.', 429],
  sns: RATE_EXCEEDED,
  sqs: ['RequestThrottled', 'Request is throttled.', 403],
  sts: RATE_EXCEEDED,
};

const THROTTLING_EXCEPTION: Throttle = ['ThrottlingException', 'Rate exceeded', 400];

/** A fault that was set, with its first and last instants. */
export type ActiveFault = Omit<Fault, 'forMs'> & { readonly fromMs: number; readonly untilMs: number };

/** One fault that was set. */
export interface SetFault {
  /** It ends now, and others go on. */
  end(): void;
}

/** The faults a scenario has set. */
export class Faults {
  private active: readonly ActiveFault[] = [];
  /** A long outage is answered the same error 100,000 times. */
  private readonly errors = new WeakMap<ActiveFault, AwsError>();

  /**
   * @param actionsOf what actions there are. @default - any action may fail
   * @internal
   */
  constructor(
    private readonly clock: Clock,
    private readonly actionsOf: ActionsOf = () => undefined,
  ) {}

  /** Those that hold, or will. */
  get all(): readonly ActiveFault[] {
    return this.active.filter(({ untilMs }) => this.clock.nowMs < untilMs);
  }

  /**
   * From now on, or from `fault.fromMs`, the service answers errors. It takes the place of an older fault of the same
   * service, action and resource whose time overlaps with its own. Where several cover a call, the one set first says how
   * it fails.
   *
   * @throws RangeError naming every member that makes no sense: a service, action or resource for which the fault would
   *   never hold, a status that is no error, a member nobody knows
   */
  set(fault: Fault): SetFault {
    const { nowMs } = this.clock;
    const reader = new MemberReader(fault, 'a fault');
    const read = readFault(reader, nowMs, this.actionsOf);
    const problems = reader.allProblems();
    if (!read || problems.length > 0) throw new InvalidInput(problems);
    const { fromMs = nowMs, untilMs, forMs = Number.POSITIVE_INFINITY, ...rest } = read;
    const added = { ...rest, fromMs, untilMs: untilMs ?? fromMs + forMs };
    this.active = [...this.all.filter(older => !isReplaced(older, added)), added];
    return {
      end: () => {
        this.active = this.active.filter(it => it !== added);
      },
    };
  }

  /**
   * What a fault is about, for whoever has other words for the rest; undefined, with the problem noted, when nothing.
   *
   * @internal
   */
  readSubject(reader: MemberReader): FaultSubject | undefined {
    return readFaultSubject(reader, this.clock.nowMs, this.actionsOf);
  }

  /** Every fault ends now. */
  clear(): void {
    this.active = [];
  }

  /**
   * The error this call meets, if a fault covers it: the one that was set first.
   *
   * @internal services ask
   */
  check(service: string, action: string, resource: string): AwsError | undefined {
    if (this.active.length === 0) return undefined;
    const fault = this.covering(service, action, resource).find(isError);
    return fault && this.errorOf(fault);
  }

  /** How long the answer to this call takes, in milliseconds: as long as the slowest fault that covers it says. */
  latencyMs(service: string, action: string, resource: string): number {
    if (this.active.length === 0) return 0;
    return Math.max(0, ...this.covering(service, action, resource).map(({ latencyMs = 0 }) => latencyMs));
  }

  private errorOf(fault: ActiveFault): AwsError {
    const known = this.errors.get(fault);
    if (known) return known;
    const error = newErrorOf(fault);
    this.errors.set(fault, error);
    return error;
  }

  private covering(service: string, action: string, resource: string): readonly ActiveFault[] {
    const now = this.clock.nowMs;
    return this.active.filter(
      it =>
        it.service === service &&
        (it.action ?? action) === action &&
        (it.resource ?? resource) === resource &&
        it.fromMs <= now &&
        now < it.untilMs,
    );
  }
}

const isReplaced = (older: ActiveFault, newer: ActiveFault): boolean =>
  older.service === newer.service &&
  older.action === newer.action &&
  older.resource === newer.resource &&
  older.fromMs < newer.untilMs &&
  newer.fromMs < older.untilMs;

const isError = ({ httpStatus, code, throttle, latencyMs }: Fault): boolean =>
  throttle === true || httpStatus !== undefined || code !== undefined || latencyMs === undefined;

function newErrorOf({ service, throttle, code = 'ServiceUnavailable', httpStatus = 503 }: Fault): AwsError {
  if (throttle === true) return new AwsError(...(THROTTLES[service] ?? THROTTLING_EXCEPTION));
  return new AwsError(code, `${service} answers ${code}: a fault set by this scenario`, httpStatus);
}
