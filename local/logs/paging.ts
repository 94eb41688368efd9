import { type Page, pageOf } from '../kernel/page';
import { invalidParameter } from './errors';

/** @throws AwsError when the token is none of ours */
export function logsPage<Item>(all: readonly Item[], limit: number, nextToken: string | undefined): Page<Item> {
  return pageOf(all, limit, nextToken, () => invalidParameter('The specified nextToken is invalid.'));
}
