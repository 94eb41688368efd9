import type { AccessControl, KeyAccess, PolicyDocument } from './access';
import { AccessRefused, AwsError, notImplemented } from './aws-error';
import { type Caller, notAuthorized } from './caller';
import type { Faults, FaultyService } from './faults';
import type { Place } from './place';
import type { Random } from './random';
import type { MetricSink } from './telemetry';
import type { Scheduler } from './timeline';
import type { Recorder, TraceEvent } from './trace';

/** Something a call is about and that is not there. */
export class MissingResource implements Resource {
  constructor(
    readonly arn: string,
    /** What the caller is answered. */
    readonly error: AwsError,
  ) {}
}

/**
 * One API action as its service declares it. `State` is what the service's actions work on. The methods are methods, not
 * properties, so that a table can hold actions on different kinds of `Target`; the door hands `run` nothing but what the
 * same action's `resourceOf` has found.
 */
export interface ServiceAction<State, Input, Output, Target extends Resource = Resource> {
  /** The permission it takes, as IAM names it; undefined for an action that takes none. */
  readonly permission: string | undefined;
  /** What the call is about: faults and policies go by it. A `Missing` one is told before permissions are looked at. */
  resourceOf(state: State, input: Input): Target | MissingResource;
  /** The service's own condition keys, which policies can ask for beside those of the caller. @default - none */
  contextOf?(input: Input, target: Target, state: State): Caller['context'];
  /** @throws AwsError as the service would answer */
  run(state: State, call: ApiCall<Input>, target: Target): Output;
}

/** Every API action of a service, by AWS's names. */
export type ServiceActions<State, Actions extends ActionTable> = {
  readonly [Name in keyof Actions]: ServiceAction<State, InputOf<Actions[Name]>, OutputOf<Actions[Name]>>;
};

/**
 * The one way into a service, the same for all of them: an action nobody implements is a 501; then the fault a scenario
 * has set, then what the call is about and whether it is there, then permission, then the action. Whoever is answered an
 * error is written down.
 */
export class ServiceApi<State, Actions extends ActionTable> {
  constructor(
    private readonly checks: RequestChecks,
    private readonly actions: ServiceActions<State, Actions>,
    private readonly state: State,
  ) {}

  /** @throws AwsError as AWS would answer */
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
      const target = action.resourceOf(state, input);
      resourceArn = target.arn;
      checks.checkFault(name, resourceArn, caller);
      if (target instanceof MissingResource) throw target.error;
      if (action.permission !== undefined) {
        const own = action.contextOf?.(input, target, state);
        const asking = own ? { ...caller, context: { ...caller.context, ...own } } : caller;
        checks.checkAccess(asking, action.permission, target);
      }
      return action.run(state, { caller, input }, target);
    } catch (error) {
      checks.recordRefusal(name, resourceArn, error);
      throw error;
    }
  }

  /** Whether the service has this action here. */
  implements(action: string): boolean {
    return Object.hasOwn(this.actions, action);
  }
}

/** One call of one API action. */
export interface ApiCall<Input> {
  readonly caller: Caller;
  readonly input: Input;
}

/** One API action of a service: it answers, or throws an `AwsError`. */
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

/**
 * The one door into a service. Clients, functions and other services all come through it, so that a fault set on the
 * service, its permissions and its metrics hold for everybody alike.
 */
export interface Api<Actions extends ActionTable> {
  /** @throws AwsError as AWS would answer */
  call<Name extends keyof Actions & string>(
    action: Name,
    caller: Caller,
    input: InputOf<Actions[Name]>,
  ): OutputOf<Actions[Name]>;
}

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

/** What every service of the embedded AWS is built with. */
export interface ServiceContext<H extends TraceEvent> {
  readonly place: Place;
  readonly timeline: Scheduler;
  /** A stream of the state's generator that belongs to this service alone. */
  readonly random: Random;
  readonly access: AccessControl;
  readonly keys: KeyAccess;
  readonly faults: Faults;
  readonly metrics: MetricSink;
  readonly trace: Recorder<H>;
}
