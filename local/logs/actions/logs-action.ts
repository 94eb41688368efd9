import type { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import type { ActionFamily, Resource } from '../../kernel/service-api';
import { invalidParameter } from '../errors';
import type { LogsState } from '../logs-state';
import { logGroupArn, logStreamArn, nameInIdentifier } from '../ports';

export type LogsFamily = ActionFamily<LogsState, CloudWatchLogs>;

export type LogsAction<Name extends keyof LogsFamily> = Required<LogsFamily>[Name];

export interface GroupNamed {
  readonly logGroupName?: string | undefined;
  /** A name or an ARN. */
  readonly logGroupIdentifier?: string | undefined;
}

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

export function anyGroup({ context }: LogsState): Resource {
  return { arn: `${logGroupArn(context.place, '')}:*` };
}
