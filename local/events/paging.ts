import { type Page, pageOf } from '../kernel/page';
import { eventsConstraints } from './constraints';
import { validationException } from './errors';

const MOST = 100;

/** @default as many as EventBridge gives at most, 100 */
export function eventsPage<Item>(
  all: readonly Item[],
  limit: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  eventsConstraints().range('limit', limit, 1, MOST).check();
  return pageOf(all, limit ?? MOST, nextToken, () => validationException('Parameter NextToken is not valid.'));
}
