import { parseArn } from '../../policy/arn';
import type { Caller } from '../kernel/caller';
import { arnIn, type Place } from '../kernel/place';

/** The part of Lambda that CloudWatch Logs uses: it invokes the functions of subscription filters. */
export interface Functions {
  /**
   * @param type `DryRun` only checks whether the function could be invoked
   * @throws AwsError when the function does not exist, or its policy denies the caller
   */
  invoke(functionArn: string, caller: Caller, type: 'Event' | 'DryRun', payload: string): void;
}

/** A log event, as CloudWatch receives it. */
interface WrittenLogEvent {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly message: string;
}

/** The part of CloudWatch that CloudWatch Logs uses: it extracts embedded metrics from log events. */
interface EmbeddedMetrics {
  takeLogEvent(event: WrittenLogEvent): void;
}

/** The services that receive log events. */
export interface LogsDependencies {
  /** @default metrics in the embedded metric format are ignored */
  readonly cloudWatch?: EmbeddedMetrics;
  /** @default the simulation has no functions, and subscription filters are rejected */
  readonly lambda?: () => Functions;
}

/** The ARN without the `:*` suffix that stands for the group's streams. */
export const logGroupArn = (place: Place, logGroupName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}`);

export const logStreamArn = (place: Place, logGroupName: string, logStreamName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}:log-stream:${logStreamName}`);

/** The service principal of CloudWatch Logs. */
export const logsService = ({ region, urlSuffix }: Place): string => `logs.${region}.${urlSuffix}`;

/** Returns the group name in a log group identifier: a name, or an ARN with or without `:*`. */
export function nameInIdentifier(identifier: string): string {
  return /^log-group:([^:]+)(:\*)?$/.exec(parseArn(identifier)?.resource ?? '')?.[1] ?? identifier;
}
