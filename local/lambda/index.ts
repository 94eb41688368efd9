export type { LambdaActions } from './actions';
export type { InvocationType, InvokeRequest, InvokeResponse } from './actions/invoke';
export type { Interruption, Interruptions } from './environment/interruptions';
export type { EventSourceMapping } from './event-source/event-source-mapping';
export type { EventInvokeConfiguration } from './function/event-invoke-configuration';
export type { FunctionConfiguration, NewFunction } from './function/function-configuration';
export { Lambda } from './lambda';
export type { LambdaDependencies, LambdaOptions, LambdaTraceEvent, Queues, Topics } from './ports';
export { lambdaResourceTypes } from './resources';
