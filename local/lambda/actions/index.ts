import type { Action } from '../../kernel/api';
import type { DoorTable } from '../../kernel/front-door';
import { invoke, type LambdaWorld } from './invoke';
import type { InvokeRequest, InvokeResponse } from './invoke-shapes';

/**
 * The actions of Lambda that this service answers. `Invoke` answers at once for `Event` and `DryRun`, and by a promise
 * that due work resolves for `RequestResponse`.
 */
export type LambdaActions = {
  readonly Invoke: Action<InvokeRequest, InvokeResponse | Promise<InvokeResponse>>;
};

/** Every API action by its name. */
export const LAMBDA_ACTIONS: DoorTable<LambdaWorld, LambdaActions> = { Invoke: invoke };
