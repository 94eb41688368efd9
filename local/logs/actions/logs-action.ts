import type { InputOf, OutputOf } from '../../kernel/api';
import type { Resource } from '../../kernel/doorkeeper';
import type { DoorAction } from '../../kernel/front-door';
import { logGroupArn } from '../log-arns';
import type { LogsActionName, LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';

/** One API action: who may call it, which group it is about, and what it does. */
export type LogsAction<Name extends LogsActionName> = DoorAction<
  LogsState,
  InputOf<LogsActions[Name]>,
  OutputOf<LogsActions[Name]>
>;

/** What an action on one group is about, whether or not there is such a group. */
export function groupNamed(
  { context }: LogsState,
  { logGroupName = '' }: { readonly logGroupName?: string | undefined },
): Resource {
  return { arn: `${logGroupArn(context.place, logGroupName)}:*` };
}

/** What an action on all groups is about. */
export function anyGroup({ context }: LogsState): Resource {
  return { arn: `${logGroupArn(context.place, '')}:*` };
}
