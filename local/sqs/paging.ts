import { type Page, pageOf } from '../kernel/page';
import { invalidValue } from './errors';

const MAX_RESULTS = 1000;

/** Without `MaxResults` AWS gives up to 1,000 items and no token. */
export function sqsPage<Item>(
  items: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  if (maxResults !== undefined && !(maxResults >= 1 && maxResults <= MAX_RESULTS)) {
    throw invalidValue(maxResults, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}.`);
  }
  const page = pageOf(items, maxResults ?? MAX_RESULTS, nextToken, token =>
    invalidValue(token, 'NextToken', 'Must be a token of an earlier page.'),
  );
  return maxResults === undefined ? { ...page, nextToken: undefined } : page;
}
