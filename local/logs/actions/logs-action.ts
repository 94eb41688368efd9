import type { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import type { ActionOn, Resource, SdkActions } from '../../kernel/service-api';
import { invalidParameter } from '../errors';
import type { LogsState } from '../logs-state';
import { logGroupArn, logStreamArn, nameInIdentifier } from '../ports';

/** One API action: the permission it needs, the log group it acts on, and its implementation. */
export type LogsAction<Name extends Capitalize<keyof CloudWatchLogs & string>> = ActionOn<
  LogsState,
  SdkActions<CloudWatchLogs, Name>[Name]
>;

/** The input members that name a log group. */
export interface GroupNamed {
  readonly logGroupName?: string | undefined;
  /** A name or an ARN. */
  readonly logGroupIdentifier?: string | undefined;
}

/** @throws AwsError when both members are given, or neither */
export function groupName({ logGroupName, logGroupIdentifier }: GroupNamed): string {
  if ((logGroupName === undefined) === (logGroupIdentifier === undefined)) {
    throw invalidParameter('Exactly one of logGroupName and logGroupIdentifier must be given');
  }
  return logGroupName ?? nameInIdentifier(logGroupIdentifier ?? '');
}

/** Returns the group an action acts on, whether or not it exists. */
export function groupNamed(state: LogsState, input: GroupNamed): Resource {
  return groupResource(state, input.logGroupName ?? nameInIdentifier(input.logGroupIdentifier ?? ''));
}

export function groupResource({ context, resourcePolicies }: LogsState, name: string): Resource {
  return { arn: `${logGroupArn(context.place, name)}:*`, policy: resourcePolicies.document };
}

/** Returns the stream an action acts on, whether or not it exists. */
export function streamNamed(
  { context, resourcePolicies }: LogsState,
  input: GroupNamed & { readonly logStreamName?: string | undefined },
): Resource {
  const name = input.logGroupName ?? nameInIdentifier(input.logGroupIdentifier ?? '');
  return { arn: logStreamArn(context.place, name, input.logStreamName ?? ''), policy: resourcePolicies.document };
}

/** The resource of an action on all groups. */
export function anyGroup({ context }: LogsState): Resource {
  return { arn: `${logGroupArn(context.place, '')}:*` };
}

/** The resource of an action that does not act on a group. */
export const anything = (): Resource => ({ arn: '*' });
