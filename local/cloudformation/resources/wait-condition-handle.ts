import type { ResourceType } from '../resource-type';

/**
 * A URL that nothing waits for: without a wait condition the handle has no effect. CDK uses it as a resource that costs
 * nothing.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-waitconditionhandle.html
 */
export function waitConditionHandle(hostName: string): ResourceType {
  return {
    type: 'AWS::CloudFormation::WaitConditionHandle',
    create: (_, { stackName, logicalId }) => ({
      ref: `https://${hostName}/${encodeURIComponent(`${stackName}|${logicalId}`)}`,
      attributes: {},
    }),
  };
}
