import { tagsProperty } from './cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from './cloudformation/resource-type';
import type { Random } from './kernel/random';

/** The only resource type of EC2 that CDK adds to a function's stack by itself. Networks are refused by name. */
export function ec2ResourceTypes(random: Random): readonly ResourceType[] {
  return [securityGroupResourceType(random)];
}

/**
 * A security group, which aws-cdk-lib creates for each function in a VPC. Only its id is simulated: there is no
 * network, so its rules have no effect.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
 */
function securityGroupResourceType(random: Random): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    properties.requiredString('GroupDescription');
    const vpcId = properties.string('VpcId') ?? '';
    tagsProperty(properties);
    properties.withoutEffect('GroupName', 'SecurityGroupEgress', 'SecurityGroupIngress');
    const groupId = existing?.ref ?? `sg-${random.hex(17)}`;
    return { ref: groupId, attributes: { GroupId: groupId, Id: groupId, VpcId: vpcId } };
  };
  return putType('AWS::EC2::SecurityGroup', put, () => {});
}
