import type { PropertyReader } from './property-reader';

/**
 * The property `Tags` of most resources: a list of keys and values.
 *
 * @param valueless what a tag without a value means, where CloudFormation lets it be without. @default - it must have one
 */
export function tagsProperty(properties: PropertyReader, valueless?: ''): { Key: string; Value: string }[] {
  return properties.objects('Tags').map(tag => ({
    Key: tag.requiredString('Key'),
    Value: valueless === undefined ? tag.requiredString('Value') : (tag.string('Value') ?? valueless),
  }));
}
