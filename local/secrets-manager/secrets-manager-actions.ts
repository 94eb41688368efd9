import type {
  CreateSecretRequest,
  CreateSecretResponse,
  DeleteResourcePolicyRequest,
  DeleteResourcePolicyResponse,
  DeleteSecretRequest,
  DeleteSecretResponse,
  DescribeSecretRequest,
  DescribeSecretResponse,
  GetRandomPasswordRequest,
  GetRandomPasswordResponse,
  GetResourcePolicyRequest,
  GetResourcePolicyResponse,
  GetSecretValueRequest,
  GetSecretValueResponse,
  ListSecretsRequest,
  ListSecretsResponse,
  ListSecretVersionIdsRequest,
  ListSecretVersionIdsResponse,
  PutResourcePolicyRequest,
  PutResourcePolicyResponse,
  PutSecretValueRequest,
  PutSecretValueResponse,
  RestoreSecretRequest,
  RestoreSecretResponse,
  TagResourceRequest,
  UntagResourceRequest,
  UpdateSecretRequest,
  UpdateSecretResponse,
  UpdateSecretVersionStageRequest,
  UpdateSecretVersionStageResponse,
} from '@aws-sdk/client-secrets-manager';
import type { Action } from '../kernel/api';

/** The actions of Secrets Manager, by AWS's names. */
export type SecretsManagerActions = {
  readonly CreateSecret: Action<CreateSecretRequest, CreateSecretResponse>;
  readonly DeleteResourcePolicy: Action<DeleteResourcePolicyRequest, DeleteResourcePolicyResponse>;
  readonly DeleteSecret: Action<DeleteSecretRequest, DeleteSecretResponse>;
  readonly DescribeSecret: Action<DescribeSecretRequest, DescribeSecretResponse>;
  readonly GetRandomPassword: Action<GetRandomPasswordRequest, GetRandomPasswordResponse>;
  readonly GetResourcePolicy: Action<GetResourcePolicyRequest, GetResourcePolicyResponse>;
  readonly GetSecretValue: Action<GetSecretValueRequest, GetSecretValueResponse>;
  readonly ListSecrets: Action<ListSecretsRequest, ListSecretsResponse>;
  readonly ListSecretVersionIds: Action<ListSecretVersionIdsRequest, ListSecretVersionIdsResponse>;
  readonly PutResourcePolicy: Action<PutResourcePolicyRequest, PutResourcePolicyResponse>;
  readonly PutSecretValue: Action<PutSecretValueRequest, PutSecretValueResponse>;
  readonly RestoreSecret: Action<RestoreSecretRequest, RestoreSecretResponse>;
  readonly TagResource: Action<TagResourceRequest, void>;
  readonly UntagResource: Action<UntagResourceRequest, void>;
  readonly UpdateSecret: Action<UpdateSecretRequest, UpdateSecretResponse>;
  readonly UpdateSecretVersionStage: Action<UpdateSecretVersionStageRequest, UpdateSecretVersionStageResponse>;
};

export type SecretsManagerActionName = keyof SecretsManagerActions;
