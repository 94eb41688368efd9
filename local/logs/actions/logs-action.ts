import type { InputOf, OutputOf, Resource, ServiceAction } from '../../kernel/service-api';
import { invalidParameter } from '../errors';
import type { LogsActionName, LogsActions } from '../logs-actions';
import type { LogsState } from '../logs-state';
import { logGroupArn, logStreamArn, nameInIdentifier } from '../ports';

/** One API action: who may call it, which group it is about, and what it does. */
export type LogsAction<Name extends LogsActionName> = ServiceAction<
  LogsState,
  InputOf<LogsActions[Name]>,
  OutputOf<LogsActions[Name]>
>;

/** How an action names its group. */
export interface GroupNamed {
  readonly logGroupName?: string | undefined;
  /** The name or the ARN. */
  readonly logGroupIdentifier?: string | undefined;
}

/** @throws AwsError when a group is named in both ways, or in none */
export function groupName({ logGroupName, logGroupIdentifier }: GroupNamed): string {
  if ((logGroupName === undefined) === (logGroupIdentifier === undefined)) {
    throw invalidParameter('Exactly one of logGroupName and logGroupIdentifier must be given');
  }
  return logGroupName ?? nameInIdentifier(logGroupIdentifier ?? '');
}

/** What an action on one group is about, whether or not there is such a group. */
export function groupNamed(state: LogsState, input: GroupNamed): Resource {
  return groupResource(state, input.logGroupName ?? nameInIdentifier(input.logGroupIdentifier ?? ''));
}

export function groupResource({ context, resourcePolicies }: LogsState, name: string): Resource {
  return { arn: `${logGroupArn(context.place, name)}:*`, policy: resourcePolicies.document };
}

/** What an action on one stream is about, whether or not there is such a stream. */
export function streamNamed(
  { context, resourcePolicies }: LogsState,
  input: GroupNamed & { readonly logStreamName?: string | undefined },
): Resource {
  const name = input.logGroupName ?? nameInIdentifier(input.logGroupIdentifier ?? '');
  return { arn: logStreamArn(context.place, name, input.logStreamName ?? ''), policy: resourcePolicies.document };
}

/** What an action on all groups is about. */
export function anyGroup({ context }: LogsState): Resource {
  return { arn: `${logGroupArn(context.place, '')}:*` };
}

/** What an action is about that is about no group. */
export const anything = (): Resource => ({ arn: '*' });
