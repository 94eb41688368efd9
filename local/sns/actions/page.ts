import { invalidParameter } from '../errors';

/** How many of them AWS lists at a time. */
const PAGE_SIZE = 100;

export interface Page<Item> {
  readonly items: Item[];
  readonly NextToken?: string;
}

/**
 * The part of a list that a token asks for. A token says where to go on.
 * @throws AwsError when it is none of ours
 */
export function pageOf<Item>(all: readonly Item[], token: string | undefined): Page<Item> {
  const start = token === undefined ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0 || start > all.length) throw invalidParameter('NextToken');
  const end = start + PAGE_SIZE;
  return { items: all.slice(start, end), ...(end < all.length && { NextToken: String(end) }) };
}
