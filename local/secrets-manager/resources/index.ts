import type { ResourceType } from '../../cloudformation/resource-type';
import type { SecretsManager } from '../secrets-manager';
import { resourcePolicyResource } from './resource-policy';
import { secretResource } from './secret';

/** Every resource type of Secrets Manager; attachments to databases and rotation are refused, as everything unknown is. */
export function secretsManagerResourceTypes(secrets: SecretsManager): readonly ResourceType[] {
  return [secretResource(secrets), resourcePolicyResource(secrets)];
}
