import { type Page, pageOf } from '../kernel/page';
import { schedulerConstraints } from './constraints';
import { validationException } from './errors';

const MAX_PAGE_SIZE = 100;

/** @default as many as EventBridge Scheduler gives at most, 100 */
export function schedulerPage<Item>(
  all: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  schedulerConstraints().range('maxResults', maxResults, 1, MAX_PAGE_SIZE).check();
  return pageOf(all, maxResults ?? MAX_PAGE_SIZE, nextToken, () => validationException('Invalid NextToken.'));
}
