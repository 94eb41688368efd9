import type { Action } from './service-api';

/** The parts of an SDK command that carry the types of its API action. */
interface SdkCommand<Input, Output> {
  readonly input: Input;
  resolveMiddleware(...args: never[]): (call: never) => Promise<{ readonly output: Output }>;
}

/** The input and output of the API action `Name`, from the command of that name in an SDK client package. */
export type SdkAction<Sdk, Name extends string> = Sdk extends {
  readonly [Command in `${Name}Command`]: abstract new (
    ...args: never[]
  ) => SdkCommand<infer Input, infer Output>;
}
  ? Action<Input, Omit<Output, '$metadata'>>
  : never;
