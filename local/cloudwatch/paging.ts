import { invalidParameter } from './errors';

/** What CloudWatch answers at a time unless asked for more or less. */
const DEFAULT_PAGE_SIZE = 50;

/** One page of a list; the token is the place where the next one starts. */
export function page<T>(
  all: readonly T[],
  size = DEFAULT_PAGE_SIZE,
  token?: string,
): { readonly items: readonly T[]; readonly nextToken?: string } {
  const from = token === undefined ? 0 : Number(token);
  if (!Number.isInteger(from) || from < 0) throw invalidParameter(`NextToken ${token} is not one that was answered`);
  const to = from + size;
  return { items: all.slice(from, to), nextToken: to < all.length ? String(to) : undefined };
}
