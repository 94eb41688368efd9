import { type Page, pageOf } from '../kernel/page';
import { eventsConstraints } from './constraints';
import { validationException } from './errors';

const MAX_PAGE_SIZE = 100;

/** @default as many as EventBridge gives at most, 100 */
export function eventsPage<Item>(
  all: readonly Item[],
  limit: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  eventsConstraints().range('limit', limit, 1, MAX_PAGE_SIZE).check();
  return pageOf(all, limit ?? MAX_PAGE_SIZE, nextToken, () => validationException('Parameter NextToken is not valid.'));
}
