import type { PolicyDocument } from './access';
import { AccessRefused, AwsError } from './aws-error';
import { type Caller, notAuthorized } from './caller';
import type { FaultyService } from './fault';
import type { Place } from './place';
import type { ServiceContext } from './services';

/** What a call is about: a queue, a topic, a function; or a name there is nothing behind yet. */
export interface Resource {
  /** `*` where an action is about nothing in particular. */
  readonly arn: string;
  /** The policy attached to it, where it has one. */
  readonly policy?: PolicyDocument | undefined;
}

/** A caller was answered an error: the same happening for every service, `sqs.refused`, `sns.refused`, … */
export interface Refused<Service extends string> {
  readonly type: `${Service}.refused`;
  /** The API action, for example `SendMessage`. */
  readonly action: string;
  /** The ARN of what the call was about, or `*`. */
  readonly resource: string;
  readonly code: string;
  /** For access, the policy decision behind the answer; otherwise the error's own text. */
  readonly reason: string;
}

/** How a service says that somebody may not do something. */
export type AccessDenied = (
  caller: Caller,
  permission: string,
  resource: Resource,
) => Pick<AwsError, 'code' | 'message' | 'httpStatus'>;

/** As most services say it, under the service's own code and status. */
export function accessDenied({ partition }: Place, code: string, httpStatus: number): AccessDenied {
  return (caller, permission, { arn }) => {
    return { code, message: notAuthorized(caller, partition, permission, arn), httpStatus };
  };
}

/** What a door needs of the service's context. */
type ChecksContext<Service extends string> = Pick<ServiceContext<Refused<Service>>, 'access' | 'faults' | 'trace'>;

/** Checks who comes in at a service, and writes down whom the service turned away. */
export class RequestChecks<Service extends FaultyService = FaultyService> {
  constructor(
    readonly service: Service,
    private readonly context: ChecksContext<Service>,
    private readonly accessDenied: AccessDenied,
  ) {}

  /**
   * @param caller who is told, in its `latency`, how long the answer takes
   * @throws AwsError the fault a scenario has set on this action and resource
   */
  checkFault(action: string, resourceArn: string, { latency }: Caller): void {
    const { faults } = this.context;
    if (latency) latency.ms = Math.max(latency.ms, faults.latencyMs(this.service, action, resourceArn));
    const fault = faults.check(this.service, action, resourceArn);
    if (fault) throw fault;
  }

  /**
   * @param permission as IAM names it, for example `sqs:SendMessage`
   * @throws AccessRefused in the service's words, which tell the caller less than the trace is told
   */
  checkAccess(caller: Caller, permission: string, resource: Resource): void {
    const { arn, policy: resourcePolicy } = resource;
    const { allowed, reason } = this.context.access.decide({
      caller,
      action: permission,
      resource: arn,
      resourcePolicy,
    });
    if (allowed) return;
    const { code, message, httpStatus } = this.accessDenied(caller, permission, resource);
    throw new AccessRefused(code, message, httpStatus, reason);
  }

  /**
   * Lets a caller do what is no API action here, as if it were one.
   *
   * @throws AwsError by a fault, or for want of permission
   */
  checkAll(action: string, permission: string, caller: Caller, resource: Resource): void {
    this.recordingRefusals(action, resource.arn, () => {
      this.checkFault(action, resource.arn, caller);
      this.checkAccess(caller, permission, resource);
    });
  }

  /** Runs `work`; what it refuses, the trace remembers. */
  recordingRefusals<Output>(action: string, resourceArn: string, work: () => Output): Output {
    try {
      return work();
    } catch (error) {
      this.recordRefusal(action, resourceArn, error);
      throw error;
    }
  }

  /** Writes down an error a caller is answered; one that is not AWS's is ours, and none of the trace's business. */
  recordRefusal(action: string, resource: string, error: unknown): void {
    if (!(error instanceof AwsError)) return;
    const { code, reason } = error;
    this.context.trace.record({ type: `${this.service}.refused`, action, resource, code, reason });
  }
}
