import { parseArn } from '../../policy/arn';
import type { Caller } from '../kernel/caller';
import { arnIn, type Place } from '../kernel/place';
import type { Refused } from '../kernel/service-api';

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

interface OnGroup {
  readonly logGroupName: string;
}

interface OfSubscription extends OnGroup {
  readonly filterName: string;
  readonly destinationArn: string;
  readonly logStreamName: string;
  readonly logEvents: number;
}

/** The trace events of CloudWatch Logs. Log events themselves are not traced: read them from their groups. */
export type LogsTraceEvent =
  | (OnGroup & { readonly type: 'logs.group-created' | 'logs.group-deleted' })
  /** A subscription filter delivered log events. */
  | (OfSubscription & { readonly type: 'logs.delivered' })
  /** A subscription filter's destination failed or throttled the delivery. It will be retried. */
  | (OfSubscription & {
      readonly type: 'logs.delivery-failed';
      /** Starts at 1. */
      readonly attempt: number;
      readonly reason: string;
      readonly nextAttemptAtMs: number;
    })
  /** A subscription filter gave up a delivery. The destination never receives these log events. */
  | (OfSubscription & { readonly type: 'logs.undeliverable'; readonly reason: string })
  | { readonly type: 'logs.query-started' | 'logs.query-completed' | 'logs.query-stopped'; readonly queryId: string }
  | Refused<'logs'>;

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
