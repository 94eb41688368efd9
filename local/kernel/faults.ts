import { AwsError } from './aws-error';
import type { Clock } from './clock';

/** The services that can be made to fail, as their host names call them where they have one. */
export const FAULTY_SERVICES = [
  'cloudformation',
  'cloudwatch',
  'events',
  'execute-api',
  'iam',
  'kms',
  'lambda',
  'logs',
  'scheduler',
  'secretsmanager',
  'sns',
  'sqs',
  'ssm',
  'sts',
] as const;

export type FaultyService = (typeof FAULTY_SERVICES)[number];

/** An AWS service that answers errors, or late, for a while: towards clients, functions and other services alike. */
export interface Fault {
  readonly service: FaultyService;
  /** Only this action. @default every action */
  readonly action?: string | undefined;
  /** Only this resource, by ARN. @default every resource */
  readonly resource?: string | undefined;
  /** First instant at which it holds. @default now */
  readonly fromMs?: number | undefined;
  /** First instant at which it no longer holds. @default for ever */
  readonly untilMs?: number | undefined;
  /** @default 503, but for a fault that has nothing but `latencyMs` */
  readonly httpStatus?: number | undefined;
  /** @default 'ServiceUnavailable' */
  readonly code?: string | undefined;
  /** The service throttles: it answers the code, text and status it has for that. @default false */
  readonly throttle?: boolean | undefined;
  /** How long the answer takes, in milliseconds; by itself it is late, and no error. @default 0 */
  readonly latencyMs?: number | undefined;
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
export type ActiveFault = Fault & { readonly fromMs: number; readonly untilMs: number };

/** The faults a scenario has set. */
export class Faults {
  private active: readonly ActiveFault[] = [];

  constructor(private readonly clock: Clock) {}

  /** Those that hold, or will. */
  get all(): readonly ActiveFault[] {
    return this.active.filter(({ untilMs }) => this.clock.nowMs < untilMs);
  }

  /**
   * From now on, or from `fault.fromMs`, the service answers errors.
   *
   * @throws RangeError when there is no such service: the fault would never hold
   */
  set(fault: Fault): void {
    if (!FAULTY_SERVICES.includes(fault.service)) {
      throw new RangeError(`a fault's service must be one of ${FAULTY_SERVICES.join(', ')}, got ${fault.service}`);
    }
    const { fromMs = this.clock.nowMs, untilMs = Number.POSITIVE_INFINITY } = fault;
    this.active = [...this.all, { ...fault, fromMs, untilMs }];
  }

  /** Every fault ends now. */
  clear(): void {
    this.active = [];
  }

  /** The error this call meets, if a fault covers it: the one that was set first. */
  check(service: string, action: string, resource: string): AwsError | undefined {
    if (this.active.length === 0) return undefined;
    const fault = this.covering(service, action, resource).find(isError);
    return fault && errorOf(fault);
  }

  /** How long the answer to this call takes, in milliseconds: as long as the slowest fault that covers it says. */
  latencyMs(service: string, action: string, resource: string): number {
    if (this.active.length === 0) return 0;
    return Math.max(0, ...this.covering(service, action, resource).map(({ latencyMs = 0 }) => latencyMs));
  }

  private covering(service: string, action: string, resource: string): readonly ActiveFault[] {
    const now = this.clock.nowMs;
    return this.active.filter(
      ({ fromMs, untilMs, ...it }) =>
        it.service === service &&
        (it.action ?? action) === action &&
        (it.resource ?? resource) === resource &&
        fromMs <= now &&
        now < untilMs,
    );
  }
}

const isError = ({ httpStatus, code, throttle, latencyMs }: Fault): boolean =>
  throttle === true || httpStatus !== undefined || code !== undefined || latencyMs === undefined;

function errorOf({ service, throttle, code = 'ServiceUnavailable', httpStatus = 503 }: Fault): AwsError {
  if (throttle === true) return new AwsError(...(THROTTLES[service] ?? THROTTLING_EXCEPTION));
  return new AwsError(code, `${service} answers ${code}: a fault set by this scenario`, httpStatus);
}
