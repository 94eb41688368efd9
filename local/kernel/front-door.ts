import type { ActionTable, ApiCall, InputOf, OutputOf } from './api';
import { type AwsError, notImplemented } from './aws-error';
import type { Caller } from './caller';
import type { RequestChecks, Resource } from './doorkeeper';

/** Something a call is about and that is not there. */
export class MissingResource implements Resource {
  constructor(
    readonly arn: string,
    /** What the caller is answered. */
    readonly error: AwsError,
  ) {}
}

/**
 * One API action as its service declares it. `World` is what the service's actions work on. The methods are methods, not
 * properties, so that a table can hold actions on different kinds of `Target`; the door hands `run` nothing but what the
 * same action's `resourceOf` has found.
 */
export interface ServiceAction<World, Input, Output, Target extends Resource = Resource> {
  /** The permission it takes, as IAM names it; undefined for an action that takes none. */
  readonly permission: string | undefined;
  /** What the call is about: faults and policies go by it. A `Missing` one is told before permissions are looked at. */
  resourceOf(world: World, input: Input): Target | MissingResource;
  /** The service's own condition keys, which policies can ask for beside those of the caller. @default - none */
  contextOf?(input: Input, target: Target, world: World): Caller['context'];
  /** @throws AwsError as the service would answer */
  run(world: World, call: ApiCall<Input>, target: Target): Output;
}

/** Every API action of a service, by AWS's names. */
export type ServiceActions<World, Actions extends ActionTable> = {
  readonly [Name in keyof Actions]: ServiceAction<World, InputOf<Actions[Name]>, OutputOf<Actions[Name]>>;
};

/**
 * The one way into a service, the same for all of them: an action nobody implements is a 501; then the fault a scenario
 * has set, then what the call is about and whether it is there, then permission, then the action. Whoever is answered an
 * error is written down.
 */
export class ServiceApi<World, Actions extends ActionTable> {
  constructor(
    private readonly keeper: RequestChecks,
    private readonly actions: ServiceActions<World, Actions>,
    private readonly world: World,
  ) {}

  /** @throws AwsError as AWS would answer */
  call<Name extends keyof Actions & string>(
    name: Name,
    caller: Caller,
    input: InputOf<Actions[Name]>,
  ): OutputOf<Actions[Name]> {
    const { keeper, world } = this;
    let resourceArn = '*';
    try {
      if (!this.implements(name)) throw notImplemented(`${keeper.service}:${name}`);
      const action = this.actions[name];
      const target = action.resourceOf(world, input);
      resourceArn = target.arn;
      keeper.checkFault(name, resourceArn, caller);
      if (target instanceof MissingResource) throw target.error;
      if (action.permission !== undefined) {
        const own = action.contextOf?.(input, target, world);
        const asking = own ? { ...caller, context: { ...caller.context, ...own } } : caller;
        keeper.checkAccess(asking, action.permission, target);
      }
      return action.run(world, { caller, input }, target);
    } catch (error) {
      keeper.recordRefusal(name, resourceArn, error);
      throw error;
    }
  }

  /** Whether the service has this action here. */
  implements(action: string): boolean {
    return Object.hasOwn(this.actions, action);
  }
}
