import { type Page, pageOf } from '../kernel/page';
import { invalidNextToken } from './errors';

/** What CloudWatch answers at a time unless asked for more or less. */
const DEFAULT_PAGE_SIZE = 50;

export function cloudWatchPage<Item>(all: readonly Item[], size = DEFAULT_PAGE_SIZE, nextToken?: string): Page<Item> {
  return pageOf(all, size, nextToken, invalidNextToken);
}
