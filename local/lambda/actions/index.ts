import type { Lambda } from '@aws-sdk/client-lambda';
import type { Action, SdkActions } from '../../kernel/service-api';
import { aliasActions } from './aliases';
import { functionActions } from './create-function';
import { describeFunctionActions } from './describe-function';
import { eventInvokeConfigActions } from './event-invoke-configs';
import { eventSourceMappingActions } from './event-source-mappings';
import { functionSettingActions } from './function-settings';
import { type InvokeRequest, type InvokeResponse, invoke } from './invoke';

/** The implemented API actions by name. Others are answered with 501. */
export const LAMBDA_ACTIONS = {
  ...aliasActions,
  ...functionActions,
  ...eventSourceMappingActions,
  ...functionSettingActions,
  ...eventInvokeConfigActions,
  ...describeFunctionActions,
  Invoke: invoke,
};

/**
 * The signatures of the implemented actions. `Invoke` returns immediately for `Event` and `DryRun`. For
 * `RequestResponse` it returns a promise that due work resolves.
 */
export type LambdaActions = SdkActions<Lambda, Exclude<keyof typeof LAMBDA_ACTIONS, 'Invoke'>> & {
  readonly Invoke: Action<InvokeRequest, InvokeResponse | Promise<InvokeResponse>>;
};
