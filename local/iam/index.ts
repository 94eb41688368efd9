export { type CreateRoleInput, Iam } from './iam';
export { IamApi } from './iam-api';
export { iamResourceTypes } from './resources';
export type { IamTraceEvent } from './trace-events';
