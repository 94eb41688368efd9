import type { AwsError } from './aws-error';

/** One page of a listing. */
export interface Page<Item> {
  readonly items: Item[];
  /** Where the next page begins; undefined on the last one. */
  readonly nextToken: string | undefined;
}

/**
 * The part of a listing that a token asks for.
 *
 * @param token as an earlier page gave it: the place in the list where this page begins. The list may have become shorter
 *   since. @default - the first page
 * @param refuse makes the error for a token that no page has given
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
