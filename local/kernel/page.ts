import type { AwsError } from './aws-error';

export interface Page<Item> {
  readonly items: Item[];
  /** The token of the next page; undefined on the last page. */
  readonly nextToken: string | undefined;
}

/**
 * Returns the page of a list that a token asks for.
 *
 * @param token from an earlier page: the index where this page begins. The list may have become shorter since.
 * @default - the first page
 * @param refuse makes the error for a token that no page has returned
 */
export function pageOf<Item>(
  all: readonly Item[],
  size: number,
  token: string | undefined,
  refuse: (token: string) => AwsError,
): Page<Item> {
  if (token && !/^\d+$/.test(token)) throw refuse(token);
  const from = Number(token ?? 0);
  const to = from + size;
  return { items: all.slice(from, to), nextToken: to < all.length ? String(to) : undefined };
}
