import type { Resource } from '../../kernel/doorkeeper';
import type { LogsState } from '../logs-state';

/** What an action on the tags of any resource is about. */
export const taggedResource = (
  _: LogsState,
  { resourceArn = '' }: { readonly resourceArn: string | undefined },
): Resource => ({ arn: resourceArn });
