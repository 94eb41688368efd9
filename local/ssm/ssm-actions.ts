import type {
  AddTagsToResourceRequest,
  AddTagsToResourceResult,
  DeleteParameterRequest,
  DeleteParameterResult,
  DeleteParametersRequest,
  DeleteParametersResult,
  DescribeParametersRequest,
  DescribeParametersResult,
  GetParameterHistoryRequest,
  GetParameterHistoryResult,
  GetParameterRequest,
  GetParameterResult,
  GetParametersByPathRequest,
  GetParametersByPathResult,
  GetParametersRequest,
  GetParametersResult,
  LabelParameterVersionRequest,
  LabelParameterVersionResult,
  ListTagsForResourceRequest,
  ListTagsForResourceResult,
  PutParameterRequest,
  PutParameterResult,
  RemoveTagsFromResourceRequest,
  RemoveTagsFromResourceResult,
} from '@aws-sdk/client-ssm';
import type { Action } from '../kernel/api';

/** The actions of Parameter Store, by AWS's names. */
export type SsmActions = {
  readonly AddTagsToResource: Action<AddTagsToResourceRequest, AddTagsToResourceResult>;
  readonly DeleteParameter: Action<DeleteParameterRequest, DeleteParameterResult>;
  readonly DeleteParameters: Action<DeleteParametersRequest, DeleteParametersResult>;
  readonly DescribeParameters: Action<DescribeParametersRequest, DescribeParametersResult>;
  readonly GetParameter: Action<GetParameterRequest, GetParameterResult>;
  readonly GetParameterHistory: Action<GetParameterHistoryRequest, GetParameterHistoryResult>;
  readonly GetParameters: Action<GetParametersRequest, GetParametersResult>;
  readonly GetParametersByPath: Action<GetParametersByPathRequest, GetParametersByPathResult>;
  readonly LabelParameterVersion: Action<LabelParameterVersionRequest, LabelParameterVersionResult>;
  readonly ListTagsForResource: Action<ListTagsForResourceRequest, ListTagsForResourceResult>;
  readonly PutParameter: Action<PutParameterRequest, PutParameterResult>;
  readonly RemoveTagsFromResource: Action<RemoveTagsFromResourceRequest, RemoveTagsFromResourceResult>;
};

export type SsmActionName = keyof SsmActions;
