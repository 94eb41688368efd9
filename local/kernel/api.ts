import type { Caller } from './caller';

/** One call of one API action. */
export interface ApiCall<Input> {
  readonly caller: Caller;
  readonly input: Input;
}

/** One API action of a service: it answers, or throws an `AwsError`. */
export type Action<Input, Output> = (call: ApiCall<Input>) => Output;

/** The actions of a service by AWS's names. `never` makes a table of differently typed actions assignable here. */
export type ActionTable = { readonly [action: string]: (call: ApiCall<never>) => unknown };

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
