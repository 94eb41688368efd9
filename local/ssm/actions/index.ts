import type { ServiceActions } from '../../kernel/front-door';
import type { SsmActions } from '../ssm-actions';
import type { SsmState } from '../ssm-state';
import { deleteParameter } from './delete-parameter';
import { deleteParameters } from './delete-parameters';
import { describeParameters } from './describe-parameters';
import { getParameter } from './get-parameter';
import { getParameterHistory } from './get-parameter-history';
import { getParameters } from './get-parameters';
import { getParametersByPath } from './get-parameters-by-path';
import { labelParameterVersion } from './label-parameter-version';
import { putParameter } from './put-parameter';
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
