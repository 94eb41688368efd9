export type { LambdaActions } from './actions';
export type { InvokeResponse } from './actions/invoke';
export type { HandledInvocation } from './environment/handled-environment';
export { type Interruption, Interruptions } from './environment/interruptions';

export type { NewFunction } from './function/function-configuration';
export { Lambda } from './lambda';
export type { LambdaOptions } from './ports';
export { lambdaResourceTypes } from './resources';
export type { LambdaTraceEvent } from './trace-events';
