export type { IamTraceEvent } from './happenings';
export { type CreatePolicyInput, type CreateRoleInput, Iam, type IamContext } from './iam';
export type { IamActions } from './iam-actions';
export { IamApi } from './iam-api';
export { iamResourceTypes } from './resources';
