export type { IamActions } from './actions/iam-action';
export { type CreatePolicyInput, type CreateRoleInput, Iam, type IamContext, type IamTraceEvent } from './iam';
export { IamApi } from './iam-api';
export { iamResourceTypes } from './resources';
