import { AwsError } from './aws-error';
import { AWS_SERVICES, type AwsService } from './aws-service';
import { type Clock, LAST_INSTANT_MS } from './clock';
import { InvalidInput, MemberReader } from './member-reader';

/** CloudWatch by its common name. Its hosts, and so also its faults, use `monitoring`. */
const CLOUDWATCH = 'cloudwatch';

export type FaultyService = AwsService | typeof CLOUDWATCH | 'execute-api';

/** The services that can be made to fail. */
export const FAULTY_SERVICES: readonly FaultyService[] = [
  ...AWS_SERVICES,
  CLOUDWATCH,
  'execute-api',
].sort() as FaultyService[];

/**
 * A fault: for some time, a service answers with errors or late, both to clients and to functions and other services.
 */
export interface Fault {
  readonly service: FaultyService;
  /** Only this action, by the name it has in AWS's API. @default every action */
  readonly action?: string | undefined;
  /** Only this resource, by ARN. @default every resource */
  readonly resource?: string | undefined;
  /** The first instant at which the fault applies, in milliseconds since the Unix epoch. @default now */
  readonly fromMs?: number | undefined;
  /**
   * The first instant at which the fault no longer applies, in milliseconds since the Unix epoch. @default - the fault never
   * ends
   */
  readonly untilMs?: number | undefined;
  /** How long the fault applies, in milliseconds, instead of `untilMs`. @default - the fault never ends */
  readonly forMs?: number | undefined;
  /** From 400 to 599. @default 503, except for a fault that sets only `latencyMs` */
  readonly httpStatus?: number | undefined;
  /** @default 'ServiceUnavailable' */
  readonly code?: string | undefined;
  /** Whether the service throttles: it answers with its own code, text and status for that. @default false */
  readonly throttle?: boolean | undefined;
  /**
   * How long the answer takes, in milliseconds. A fault that sets only this delays the answer, without an error.
   * @default 0
   */
  readonly latencyMs?: number | undefined;
}

/** Returns the names of a service's actions; undefined where they are unknown. */
type ActionsOf = (service: FaultyService) => Iterable<string> | undefined;

/** The members that every way of setting a fault has in common. */
type FaultSubject = Pick<Fault, 'service' | 'action' | 'resource' | 'code' | 'latencyMs'>;

const SERVICE_RULE = `must be one of ${FAULTY_SERVICES.join(', ')}`;

const isService = (value: unknown): value is FaultyService => FAULTY_SERVICES.some(name => name === value);

/** Reads what a fault applies to; undefined, with the problem recorded, when it names no service. */
function readFaultSubject(reader: MemberReader, nowMs: number, actionsOf: ActionsOf): FaultSubject | undefined {
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
function readFault(reader: MemberReader, nowMs: number, actionsOf: ActionsOf): Fault | undefined {
  const subject = readFaultSubject(reader, nowMs, actionsOf);
  const fromMs = reader.number('fromMs', -LAST_INSTANT_MS, LAST_INSTANT_MS);
  // Callers may pass back a `Fault` that they received. If it never ends, its `untilMs` is `Infinity`.
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

/** Throttling answers of services that do not use `ThrottlingException`. Each was observed on AWS. */
const THROTTLES: Partial<Readonly<Record<FaultyService, Throttle>>> = {
  cloudformation: RATE_EXCEEDED,
  cloudwatch: RATE_EXCEEDED,
  dynamodb: [
    'ThrottlingException',
    'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index ' +
      'so please try again shortly.',
    400,
  ],
  'execute-api': ['TooManyRequestsException', 'Too Many Requests', 429],
  iam: RATE_EXCEEDED,
  lambda: ['TooManyRequestsException', 'Rate Exceeded.', 429],
  sns: RATE_EXCEEDED,
  sqs: ['RequestThrottled', 'Request is throttled.', 403],
  sts: RATE_EXCEEDED,
};

const THROTTLING_EXCEPTION: Throttle = ['ThrottlingException', 'Rate exceeded', 400];

/** A fault that was set, with the instants between which it applies. */
export type ActiveFault = Omit<Fault, 'forMs'> & { readonly fromMs: number; readonly untilMs: number };

/** A handle to one fault that was set. */
export interface SetFault {
  /** Ends the fault now. Other faults continue. */
  end(): void;
}

/** The faults that a scenario has set. */
export class Faults {
  private active: readonly ActiveFault[] = [];
  /** Errors by fault, because a long outage answers the same error 100,000 times. */
  private readonly errors = new WeakMap<ActiveFault, AwsError>();

  /**
   * @param actionsOf the actions of a service. @default - any action may fail
   * @internal
   */
  constructor(
    private readonly clock: Clock,
    private readonly actionsOf: ActionsOf = () => undefined,
  ) {}

  /** The faults that apply now or later. */
  get all(): readonly ActiveFault[] {
    return this.active.filter(({ untilMs }) => this.clock.nowMs < untilMs);
  }

  /**
   * Makes a service fail from now, or from `fault.fromMs`. It replaces an older fault of the same service, action and
   * resource whose time overlaps. When several faults cover a call, the one set first decides.
   *
   * @throws RangeError naming every invalid member: a service, action or resource to which the fault would never apply,
   *   a status that is no error, an unknown member
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
   * Reads what a fault applies to, for a caller that names the other members differently; undefined, with the problem
   * recorded, when it names no service.
   *
   * @internal
   */
  readSubject(reader: MemberReader): FaultSubject | undefined {
    return readFaultSubject(reader, this.clock.nowMs, this.actionsOf);
  }

  /** Ends every fault now. */
  clear(): void {
    this.active = [];
  }

  /**
   * Returns the error for this call if a fault covers it: that of the fault set first.
   *
   * @internal for services
   */
  check(service: string, action: string, resource: string): AwsError | undefined {
    if (this.active.length === 0) return undefined;
    const fault = this.covering(service, action, resource).find(isError);
    return fault && this.errorOf(fault);
  }

  /** The latency of the answer to this call in milliseconds: that of the slowest fault that covers it. */
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
