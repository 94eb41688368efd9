import { type Page, pageOf } from '../kernel/page';
import { invalidParameter } from './errors';

/** How many things CloudWatch Logs lists at once, and unless told otherwise. */
export const MAX_LISTED = 50;

/** @throws AwsError when the token is none of ours */
export function logsPage<Item>(
  all: readonly Item[],
  limit: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  return pageOf(all, limit ?? MAX_LISTED, nextToken, () => invalidParameter('The specified nextToken is invalid.'));
}
