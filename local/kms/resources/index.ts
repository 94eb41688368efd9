import type { ResourceType } from '../../cloudformation/resource-type';
import type { Kms } from '../kms';
import { aliasResource } from './alias';
import { keyResource } from './key';

/** Every resource type of KMS. */
export function kmsResourceTypes(kms: Kms): ResourceType[] {
  return [keyResource(kms), aliasResource(kms)];
}
