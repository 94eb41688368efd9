import type { PropertyReader } from './property-reader';

/** The property `Tags` of most resources: a list of keys and values. */
export function tagsProperty(properties: PropertyReader): { Key: string; Value: string }[] {
  return properties
    .objects('Tags')
    .map(tag => ({ Key: tag.requiredString('Key'), Value: tag.requiredString('Value') }));
}
