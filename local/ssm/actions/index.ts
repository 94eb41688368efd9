import type { ServiceActions } from '../../kernel/service-api';
import type { SsmState } from '../ssm-state';
import { deleteParameter, deleteParameters } from './delete-parameters';
import { labelParameterVersion, putParameter } from './put-parameter';
import {
  describeParameters,
  getParameter,
  getParameterHistory,
  getParameters,
  getParametersByPath,
} from './read-parameters';
import type { SsmActions } from './ssm-action';
import { addTagsToResource, listTagsForResource, removeTagsFromResource } from './tags';

/** Every API action by its name. */
export const SSM_ACTIONS: ServiceActions<SsmState, SsmActions> = {
  AddTagsToResource: addTagsToResource,
  DeleteParameter: deleteParameter,
  DeleteParameters: deleteParameters,
  DescribeParameters: describeParameters,
  GetParameter: getParameter,
  GetParameterHistory: getParameterHistory,
  GetParameters: getParameters,
  GetParametersByPath: getParametersByPath,
  LabelParameterVersion: labelParameterVersion,
  ListTagsForResource: listTagsForResource,
  PutParameter: putParameter,
  RemoveTagsFromResource: removeTagsFromResource,
};
