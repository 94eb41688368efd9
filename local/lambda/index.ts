export type { LambdaActions } from './actions';
export type { InvocationType, InvokeRequest, InvokeResponse } from './actions/invoke-shapes';
export type { EventSourceMapping } from './event-source/event-source-mapping';
export type { EventInvokeConfiguration } from './function/event-invoke-configuration';
export type { FunctionConfiguration, NewFunction } from './function/function-configuration';
export type { LambdaHappening } from './happenings';
export { Lambda } from './lambda';
export type { LambdaNeighbours, LambdaOptions, Queues, Topics } from './ports';
export { lambdaResourceTypes } from './resources';
