import { AwsError } from './aws-error';
import type { Clock } from './clock';
import {
  type ActionsOf,
  type Fault,
  type FaultSubject,
  type FaultyService,
  readFault,
  readFaultSubject,
} from './fault';
import { InvalidInput, MemberReader } from './member-reader';

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
