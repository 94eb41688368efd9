import { PropertyReader } from '../../local/cloudformation/property-reader';
import type { AnyResourceType, CreatedResource } from '../../local/cloudformation/resource-type';

export interface Creation {
  readonly created: CreatedResource;
  /** Every problem as `property rule`. */
  readonly problems: readonly string[];
}

/** Creates one resource as a deploy would, in a stack `Rental`; a name CloudFormation makes ends in `-1A2B3C`. */
export function createResource(
  types: readonly AnyResourceType[],
  type: string,
  properties: Readonly<Record<string, unknown>>,
  logicalId = 'Thing',
): Creation {
  const resourceType = types.find(it => it.type === type);
  if (!resourceType || !('create' in resourceType)) throw new Error(`there is no resource type ${type} made at once`);
  const reader = new PropertyReader(properties, type);
  const created = resourceType.create(reader, {
    logicalId,
    stackName: 'Rental',
    physicalName: () => `Rental-${logicalId}-1A2B3C`,
    assetPath: () => undefined,
    takesTime: false,
  });
  return { created, problems: reader.allProblems().map(({ property, rule }) => `${property} ${rule}`) };
}
