import { invalidValue } from './errors';

const MAX_RESULTS = 1000;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextToken: string | undefined;
}

/**
 * One page of a listing. Without `MaxResults` AWS gives up to 1,000 items and no token.
 *
 * @param nextToken the index at which the page begins, as an earlier page gave it
 */
export function pageOf<Item>(
  items: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  if (maxResults !== undefined && !(maxResults >= 1 && maxResults <= MAX_RESULTS)) {
    throw invalidValue(maxResults, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}.`);
  }
  const from = Number(nextToken ?? 0);
  if (!Number.isInteger(from) || from < 0 || from > items.length) {
    throw invalidValue(nextToken, 'NextToken', 'Must be a token of an earlier page.');
  }
  const to = from + (maxResults ?? MAX_RESULTS);
  const more = maxResults !== undefined && to < items.length;
  return { items: items.slice(from, to), nextToken: more ? String(to) : undefined };
}
