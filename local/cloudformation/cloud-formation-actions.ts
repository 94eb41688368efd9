import type {
  DescribeStackEventsInput,
  DescribeStackEventsOutput,
  DescribeStackResourceInput,
  DescribeStackResourceOutput,
  DescribeStackResourcesInput,
  DescribeStackResourcesOutput,
  DescribeStacksInput,
  DescribeStacksOutput,
  GetTemplateInput,
  GetTemplateOutput,
  ListExportsInput,
  ListExportsOutput,
  ListStackResourcesInput,
  ListStackResourcesOutput,
  ListStacksInput,
  ListStacksOutput,
} from '@aws-sdk/client-cloudformation';
import type { Action } from '../kernel/api';

/** The actions of CloudFormation: those that tell of stacks. An assembly is deployed once, and not by this API. */
export type CloudFormationActions = {
  readonly DescribeStackEvents: Action<DescribeStackEventsInput, DescribeStackEventsOutput>;
  readonly DescribeStackResource: Action<DescribeStackResourceInput, DescribeStackResourceOutput>;
  readonly DescribeStackResources: Action<DescribeStackResourcesInput, DescribeStackResourcesOutput>;
  readonly DescribeStacks: Action<DescribeStacksInput, DescribeStacksOutput>;
  readonly GetTemplate: Action<GetTemplateInput, GetTemplateOutput>;
  readonly ListExports: Action<ListExportsInput, ListExportsOutput>;
  readonly ListStackResources: Action<ListStackResourcesInput, ListStackResourcesOutput>;
  readonly ListStacks: Action<ListStacksInput, ListStacksOutput>;
};

export type CloudFormationActionName = keyof CloudFormationActions;
