import type { ResourceType } from '../../cloudformation/resource-type';
import type { Random } from '../../kernel/random';
import { securityGroupResourceType } from './security-group';

/** The one CloudFormation resource type of EC2 that a function's stack makes of its own accord. Networks are refused by name. */
export function ec2ResourceTypes(random: Random): readonly ResourceType[] {
  return [securityGroupResourceType(random)];
}
