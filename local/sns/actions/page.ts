import { type Page, pageOf } from '../../kernel/page';
import { invalidParameter } from '../errors';

/** How many of them AWS lists at a time. */
const PAGE_SIZE = 100;

/** @throws AwsError when the token is none of ours */
export function snsPage<Item>(all: readonly Item[], token: string | undefined): Page<Item> {
  return pageOf(all, PAGE_SIZE, token, () => invalidParameter('NextToken'));
}
