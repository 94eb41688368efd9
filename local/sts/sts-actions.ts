import type {
  AssumeRoleRequest,
  AssumeRoleResponse,
  GetCallerIdentityRequest,
  GetCallerIdentityResponse,
  GetSessionTokenRequest,
  GetSessionTokenResponse,
} from '@aws-sdk/client-sts';
import type { Action } from '../kernel/api';

/** The actions of STS, by AWS's names. Nobody is federated here. */
export type StsActions = {
  readonly AssumeRole: Action<AssumeRoleRequest, AssumeRoleResponse>;
  readonly GetCallerIdentity: Action<GetCallerIdentityRequest, GetCallerIdentityResponse>;
  readonly GetSessionToken: Action<GetSessionTokenRequest, GetSessionTokenResponse>;
};

export type StsActionName = keyof StsActions;
