import { AwsError } from './aws-error';
import type { Clock } from './clock';

/** The services that can be made to fail, as their host names call them where they have one. */
export const FAULTY_SERVICES = [
  'cloudformation',
  'cloudwatch',
  'execute-api',
  'iam',
  'kms',
  'lambda',
  'logs',
  'secretsmanager',
  'sns',
  'sqs',
  'ssm',
  'sts',
] as const;

export type FaultyService = (typeof FAULTY_SERVICES)[number];

/** An AWS service that answers errors for a while, towards clients, functions and other services alike. */
export interface Fault {
  readonly service: FaultyService;
  /** Only this action. @default every action */
  readonly action?: string;
  /** Only this resource, by ARN. @default every resource */
  readonly resource?: string;
  /** First instant at which it holds. @default now */
  readonly fromMs?: number;
  /** First instant at which it no longer holds. @default for ever */
  readonly untilMs?: number;
  /** @default 503 */
  readonly httpStatus?: number;
  /** @default 'ServiceUnavailable' */
  readonly code?: string;
}

/** The faults a scenario has set. */
export class Faults {
  private readonly active: (Fault & { readonly fromMs: number; readonly untilMs: number })[] = [];

  constructor(private readonly clock: Clock) {}

  /**
   * From now on, or from `fault.fromMs`, the service answers errors.
   *
   * @throws RangeError when there is no such service: the fault would never hold
   */
  set(fault: Fault): void {
    if (!FAULTY_SERVICES.includes(fault.service)) {
      throw new RangeError(`a fault's service must be one of ${FAULTY_SERVICES.join(', ')}, got ${fault.service}`);
    }
    this.active.push({
      ...fault,
      fromMs: fault.fromMs ?? this.clock.nowMs,
      untilMs: fault.untilMs ?? Number.POSITIVE_INFINITY,
    });
  }

  /** Every fault ends now. */
  clear(): void {
    this.active.length = 0;
  }

  /** The error this call meets, if a fault covers it. */
  check(service: string, action: string, resource: string): AwsError | undefined {
    const now = this.clock.nowMs;
    const fault = this.active.find(
      ({ fromMs, untilMs, ...it }) =>
        it.service === service &&
        (it.action ?? action) === action &&
        (it.resource ?? resource) === resource &&
        fromMs <= now &&
        now < untilMs,
    );
    if (!fault) return undefined;
    const code = fault.code ?? 'ServiceUnavailable';
    return new AwsError(code, `${service} answers ${code}: a fault set by this scenario`, fault.httpStatus ?? 503);
  }
}
