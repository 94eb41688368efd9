import { tagsProperty } from './cloudformation/property-reader';
import type { ResourceType } from './cloudformation/resource-type';
import type { Random } from './kernel/random';

/** The one CloudFormation resource type of EC2 that a function's stack makes of its own accord. Networks are refused by name. */
export function ec2ResourceTypes(random: Random): readonly ResourceType[] {
  return [securityGroupResourceType(random)];
}

/**
 * A security group by its id alone, as aws-cdk-lib makes one for each function in a VPC. There is no network that it could
 * guard, and so its rules let nothing in or out.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
 */
export function securityGroupResourceType(random: Random): ResourceType {
  return {
    type: 'AWS::EC2::SecurityGroup',
    create: properties => {
      properties.requiredString('GroupDescription');
      const vpcId = properties.string('VpcId') ?? '';
      tagsProperty(properties);
      properties.withoutEffect('GroupName', 'SecurityGroupEgress', 'SecurityGroupIngress');
      const groupId = `sg-${random.hex(17)}`;
      return { ref: groupId, attributes: { GroupId: groupId, Id: groupId, VpcId: vpcId } };
    },
  };
}
