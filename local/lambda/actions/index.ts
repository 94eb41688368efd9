import type { ApiCall } from '../../kernel/api';
import type { InvokeRequest, InvokeResponse } from './invoke';

/**
 * The actions of Lambda that this service answers. `Invoke` answers at once for `Event` and `DryRun`, and by a promise
 * that due work resolves for `RequestResponse`.
 */
export type LambdaActions = {
  readonly Invoke: (call: ApiCall<InvokeRequest>) => InvokeResponse | Promise<InvokeResponse>;
};
