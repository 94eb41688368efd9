import type { ResourceTags } from '../../kernel/resource-tags';
import { resourceNotFound } from '../errors';
import type { EventsInternals } from '../events-desk';

/**
 * The tags of a rule or a bus.
 *
 * @throws AwsError `ResourceNotFoundException`
 */
export function tagsOf({ buses }: EventsInternals, arn = ''): ResourceTags {
  const found = [...buses.all, ...buses.rules].find(it => it.arn === arn);
  if (!found) throw resourceNotFound(`Resource ${arn} does not exist.`);
  return found.tags;
}
