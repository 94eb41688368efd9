import { parseArn } from '../../policy/arn';
import type { AccessControl, KeyAccess, PolicyDocument } from './access';
import { AccessRefused, AwsError, notImplemented } from './aws-error';
import { accountOf, administrator, type Caller, notAuthorized } from './caller';
import type { Faults, FaultyService } from './faults';
import type { Place } from './place';
import type { Random } from './random';
import type { MetricSink } from './telemetry';
import type { Scheduler } from './timeline';
import type { Recorder, TraceEvent } from './trace';

/** A resource that does not exist, with the error that the caller receives. */
export class MissingResource implements Resource {
  constructor(
    readonly arn: string,
    readonly error: AwsError,
  ) {}
}

/**
 * One API action as its service declares it. `State` is what the service's actions work on. `resourceOf` and `run` are
 * methods, not properties, so that one table can hold actions with different kinds of `Target`. `ServiceApi` passes to
 * `run` only what `resourceOf` of the same action returned.
 */
export interface ServiceAction<State, Input, Output, Target extends Resource = Resource> {
  /** The IAM permission the action needs; null for none. @default - that of the action's name: `sns:Publish` */
  readonly permission?: string | null;
  /**
   * Finds the resource of the call: faults and policies apply to it. A `MissingResource` is reported before permissions
   * are checked. @default - the action has no resource: `*`
   */
  resourceOf?(state: State, input: Input): Target | MissingResource;
  /** Condition keys of the service, in addition to those of the caller. @default - none */
  contextOf?(input: Input, target: Target, state: State, action: string): Caller['context'];
  /** @throws AwsError with the code and message that the service returns */
  run(state: State, call: ApiCall<Input>, target: Target): Output;
  /** Whether AWS lets no other account use the action, whatever the resource's policy allows. @default false */
  readonly isForOwnAccountOnly?: boolean;
}

/** Every API action of a service, by AWS's names. */
export type ServiceActions<State, Actions extends ActionTable> = {
  readonly [Name in keyof Actions]: ActionOn<State, Actions[Name]>;
};

/** Some API actions of a service, by AWS's names. Inputs and outputs are those of the SDK's client. */
export type ActionFamily<State, Client, Target extends Resource = Resource> = {
  readonly [Name in Capitalize<keyof Client & string>]?: ActionOn<State, SdkActions<Client, Name>[Name], Target>;
};

const NO_RESOURCE: Resource = { arn: '*' };

/**
 * Authorizes and dispatches the API calls of a service; the same for all services. In order: an action that is not
 * implemented answers 501; a fault set by the scenario applies; the resource must exist; the caller needs the
 * permission; the action runs. Every error that a caller receives is recorded in the trace.
 */
export class ServiceApi<State, Actions extends ActionTable> implements Api<Actions> {
  constructor(
    protected readonly checks: RequestChecks,
    private readonly actions: ServiceActions<State, Actions>,
    readonly state: State,
  ) {}

  /** An administrator of the service's account, as which CloudFormation and tests call. */
  get owner(): Caller {
    return this.checks.owner;
  }

  call<Name extends keyof Actions & string>(
    name: Name,
    caller: Caller,
    input: InputOf<Actions[Name]>,
  ): OutputOf<Actions[Name]> {
    const { checks, state } = this;
    let resourceArn = '*';
    try {
      if (!this.implements(name)) throw notImplemented(`${checks.service}:${name}`);
      const action = this.actions[name];
      const target = action.resourceOf?.(state, input) ?? NO_RESOURCE;
      resourceArn = target.arn;
      if (!caller.isObserver) checks.checkFault(name, resourceArn, caller);
      if (target instanceof MissingResource) throw target.error;
      const { permission = `${checks.service}:${name}` } = action;
      if (permission !== null) {
        const own = action.contextOf?.(input, target, state, name);
        const asking = own ? { ...caller, context: { ...caller.context, ...own } } : caller;
        if (action.isForOwnAccountOnly) checks.checkOwnAccount(asking, permission, target);
        checks.checkAccess(asking, permission, target);
      }
      return action.run(state, { caller, input }, target);
    } catch (error) {
      if (!caller.isObserver) checks.recordRefusal(name, resourceArn, error);
      throw error;
    }
  }

  implements(action: string): boolean {
    return Object.hasOwn(this.actions, action);
  }
}

export interface ApiCall<Input> {
  readonly caller: Caller;
  readonly input: Input;
}

/** One API action of a service: it returns its answer, or throws an `AwsError`. */
export type Action<Input, Output> = (call: ApiCall<Input>) => Output;

/** The actions of a service by AWS's names. `never` makes a table of differently typed actions assignable here. */
export type ActionTable = { readonly [action: string]: (call: ApiCall<never>) => unknown };

/**
 * Actions as the SDK's client declares them: `SdkActions<KMS, 'CreateKey'>`. The input is the command's input, the output its
 * output without the SDK's own metadata. An action whose output has no other members returns nothing.
 */
export type SdkActions<Client, Name extends Capitalize<keyof Client & string>> = {
  readonly [N in Name]: Client[Uncapitalize<N> & keyof Client] extends SdkMethod<
    infer Input extends object,
    infer Output
  >
    ? Action<Input, keyof Omit<Output, '$metadata'> extends never ? void : Omit<Output, '$metadata'>>
    : never;
};

/** The last overload of a method of an SDK client: the one that TypeScript infers from. */
type SdkMethod<Input, Output> = (
  input: Input,
  options: never,
  callback: (error: never, output?: Output) => void,
) => void;

export type InputOf<A> = A extends (call: ApiCall<infer Input>) => unknown ? Input : never;
export type OutputOf<A> = A extends (call: ApiCall<never>) => infer Output ? Output : never;

type ActionOn<State, A, Target extends Resource = Resource> = ServiceAction<State, InputOf<A>, OutputOf<A>, Target>;

/**
 * The API of a service. Clients, functions and other services all use it, so that faults, permissions and metrics apply
 * to all of them.
 */
export interface Api<Actions extends ActionTable> {
  /** @throws AwsError with the code and message that AWS returns */
  call<Name extends keyof Actions & string>(
    action: Name,
    caller: Caller,
    input: InputOf<Actions[Name]>,
  ): OutputOf<Actions[Name]>;
}

/** The resource of a call: a queue, a topic, a function, or a name without a resource. */
export interface Resource {
  /** `*` for an action without a resource. */
  readonly arn: string;
  /** The policy attached to the resource. @default - none */
  readonly policy?: PolicyDocument | undefined;
  /** Another account that owns it, in addition to the one in its ARN: it subscribed to a topic. @default - none */
  readonly coOwner?: string | undefined;
}

/** A caller received an error. Every service records this trace event: `sqs.refused`, `sns.refused`, … */
export interface Refused<Service extends string> {
  readonly type: `${Service}.refused`;
  /** The API action, for example `SendMessage`. */
  readonly action: string;
  /** The ARN of what the call was about, or `*`. */
  readonly resource: string;
  readonly code: string;
  /** For refused access, the policy decision; otherwise the error's text. */
  readonly reason: string;
}

/** Words the error of a service for a missing permission. */
export type AccessDenied = (
  caller: Caller,
  permission: string,
  resource: Resource,
) => Pick<AwsError, 'code' | 'message' | 'httpStatus'>;

/** The error of most services for a missing permission, with the service's own code and status. */
export function accessDenied({ partition }: Place, code: string, httpStatus: number): AccessDenied {
  return (caller, permission, { arn }) => {
    return { code, message: notAuthorized(caller, partition, permission, arn), httpStatus };
  };
}

type ChecksContext<Service extends string> = Pick<
  ServiceContext<Refused<Service>>,
  'access' | 'faults' | 'place' | 'trace'
>;

/** Checks faults and permissions of calls to a service, and records in the trace which calls it refused. */
export class RequestChecks<Service extends FaultyService = FaultyService> {
  constructor(
    readonly service: Service,
    private readonly context: ChecksContext<Service>,
    private readonly accessDenied: AccessDenied,
  ) {}

  /** An administrator of the service's account. */
  get owner(): Caller {
    return administrator(this.context.place.account);
  }

  /** @param caller its `latency` is set to how long the answer takes */
  checkFault(action: string, resourceArn: string, { latency }: Caller): void {
    const { faults } = this.context;
    if (latency) latency.ms = Math.max(latency.ms, faults.latencyMs(this.service, action, resourceArn));
    const fault = faults.check(this.service, action, resourceArn);
    if (fault) throw fault;
  }

  /** @param permission the IAM permission, for example `sqs:SendMessage` */
  checkAccess(caller: Caller, permission: string, resource: Resource): void {
    const { arn, policy: resourcePolicy, coOwner } = resource;
    const { allowed, reason } = this.context.access.decide({
      caller,
      action: permission,
      resource: arn,
      resourcePolicy,
      coOwner,
    });
    if (allowed) return;
    const { code, message, httpStatus } = this.accessDenied(caller, permission, resource);
    throw new AccessRefused(code, message, httpStatus, reason);
  }

  checkOwnAccount(caller: Caller, permission: string, resource: Resource): void {
    const owner = parseArn(resource.arn)?.account;
    const own = accountOf(caller);
    if (!owner || own === undefined || own === owner) return;
    const { code, message, httpStatus } = this.accessDenied(caller, permission, resource);
    const reason = `${permission} cannot be used by another account: ${own} calls it on ${resource.arn}`;
    throw new AccessRefused(code, message, httpStatus, reason);
  }

  /**
   * Checks a call that is not an API action here as if it were one.
   *
   * @throws AwsError by a fault, or for a missing permission
   */
  checkAll(action: string, permission: string, caller: Caller, resource: Resource): void {
    this.recordingRefusals(action, resource.arn, () => {
      this.checkFault(action, resource.arn, caller);
      this.checkAccess(caller, permission, resource);
    });
  }

  /** Runs `work`, and records in the trace the error it throws. */
  recordingRefusals<Output>(action: string, resourceArn: string, work: () => Output): Output {
    try {
      return work();
    } catch (error) {
      this.recordRefusal(action, resourceArn, error);
      throw error;
    }
  }

  /**
   * Records an error that a caller receives. Other errors are bugs of the embedded AWS and do not belong in the trace.
   */
  recordRefusal(action: string, resource: string, error: unknown): void {
    if (!(error instanceof AwsError)) return;
    const { code, reason } = error;
    this.context.trace.record({ type: `${this.service}.refused`, action, resource, code, reason });
  }
}

/** What every service of the embedded AWS is built with. */
export interface ServiceContext<H extends TraceEvent> {
  readonly place: Place;
  readonly timeline: Scheduler;
  readonly random: Random;
  readonly access: AccessControl;
  readonly keys: KeyAccess;
  readonly faults: Faults;
  readonly metrics: MetricSink;
  readonly trace: Recorder<H>;
}
