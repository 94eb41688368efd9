import type {
  CancelKeyDeletionRequest,
  CancelKeyDeletionResponse,
  CreateAliasRequest,
  CreateKeyRequest,
  CreateKeyResponse,
  DecryptRequest,
  DecryptResponse,
  DeleteAliasRequest,
  DescribeKeyRequest,
  DescribeKeyResponse,
  DisableKeyRequest,
  DisableKeyRotationRequest,
  EnableKeyRequest,
  EnableKeyRotationRequest,
  EncryptRequest,
  EncryptResponse,
  GenerateDataKeyRequest,
  GenerateDataKeyResponse,
  GenerateDataKeyWithoutPlaintextRequest,
  GenerateDataKeyWithoutPlaintextResponse,
  GetKeyPolicyRequest,
  GetKeyPolicyResponse,
  GetKeyRotationStatusRequest,
  GetKeyRotationStatusResponse,
  ListAliasesRequest,
  ListAliasesResponse,
  ListKeyPoliciesRequest,
  ListKeyPoliciesResponse,
  ListKeysRequest,
  ListKeysResponse,
  ListResourceTagsRequest,
  ListResourceTagsResponse,
  PutKeyPolicyRequest,
  ScheduleKeyDeletionRequest,
  ScheduleKeyDeletionResponse,
  TagResourceRequest,
  UntagResourceRequest,
  UpdateAliasRequest,
  UpdateKeyDescriptionRequest,
} from '@aws-sdk/client-kms';
import type { Action } from '../kernel/api';

/** The actions of KMS, by AWS's names: those on symmetric keys, without grants. */
export type KmsActions = {
  readonly CancelKeyDeletion: Action<CancelKeyDeletionRequest, CancelKeyDeletionResponse>;
  readonly CreateAlias: Action<CreateAliasRequest, void>;
  readonly CreateKey: Action<CreateKeyRequest, CreateKeyResponse>;
  readonly Decrypt: Action<DecryptRequest, DecryptResponse>;
  readonly DeleteAlias: Action<DeleteAliasRequest, void>;
  readonly DescribeKey: Action<DescribeKeyRequest, DescribeKeyResponse>;
  readonly DisableKey: Action<DisableKeyRequest, void>;
  readonly DisableKeyRotation: Action<DisableKeyRotationRequest, void>;
  readonly EnableKey: Action<EnableKeyRequest, void>;
  readonly EnableKeyRotation: Action<EnableKeyRotationRequest, void>;
  readonly Encrypt: Action<EncryptRequest, EncryptResponse>;
  readonly GenerateDataKey: Action<GenerateDataKeyRequest, GenerateDataKeyResponse>;
  readonly GenerateDataKeyWithoutPlaintext: Action<
    GenerateDataKeyWithoutPlaintextRequest,
    GenerateDataKeyWithoutPlaintextResponse
  >;
  readonly GetKeyPolicy: Action<GetKeyPolicyRequest, GetKeyPolicyResponse>;
  readonly GetKeyRotationStatus: Action<GetKeyRotationStatusRequest, GetKeyRotationStatusResponse>;
  readonly ListAliases: Action<ListAliasesRequest, ListAliasesResponse>;
  readonly ListKeyPolicies: Action<ListKeyPoliciesRequest, ListKeyPoliciesResponse>;
  readonly ListKeys: Action<ListKeysRequest, ListKeysResponse>;
  readonly ListResourceTags: Action<ListResourceTagsRequest, ListResourceTagsResponse>;
  readonly PutKeyPolicy: Action<PutKeyPolicyRequest, void>;
  readonly ScheduleKeyDeletion: Action<ScheduleKeyDeletionRequest, ScheduleKeyDeletionResponse>;
  readonly TagResource: Action<TagResourceRequest, void>;
  readonly UntagResource: Action<UntagResourceRequest, void>;
  readonly UpdateAlias: Action<UpdateAliasRequest, void>;
  readonly UpdateKeyDescription: Action<UpdateKeyDescriptionRequest, void>;
};

export type KmsActionName = keyof KmsActions;
