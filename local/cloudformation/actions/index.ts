import type { ServiceActions } from '../../kernel/front-door';
import type { CloudFormationActions } from '../cloud-formation-actions';
import type { CloudFormationState } from './cloud-formation-action';
import { describeStackEvents } from './describe-stack-events';
import { describeStacks } from './describe-stacks';
import { getTemplate } from './get-template';
import { listExports } from './list-exports';
import { listStacks } from './list-stacks';
import { describeStackResource, describeStackResources, listStackResources } from './stack-resources';

/** Every API action by its name. */
export const CLOUD_FORMATION_ACTIONS: ServiceActions<CloudFormationState, CloudFormationActions> = {
  DescribeStackEvents: describeStackEvents,
  DescribeStackResource: describeStackResource,
  DescribeStackResources: describeStackResources,
  DescribeStacks: describeStacks,
  GetTemplate: getTemplate,
  ListExports: listExports,
  ListStackResources: listStackResources,
  ListStacks: listStacks,
};
