export { type CreateRoleInput, Iam, type IamTraceEvent } from './iam';
export { IamApi } from './iam-api';
export { iamResourceTypes } from './resources';
