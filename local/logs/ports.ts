import { parseArn } from '../../policy/arn';
import type { Caller } from '../kernel/caller';
import { arnIn, type Place } from '../kernel/place';
import type { Refused } from '../kernel/service-api';

/** What CloudWatch Logs needs of AWS Lambda: the functions that subscription filters feed. */
export interface Functions {
  /**
   * @param type `DryRun` asks only whether the function would be invoked
   * @throws AwsError when there is no such function, or its policy lets the caller not
   */
  invoke(functionArn: string, caller: Caller, type: 'Event' | 'DryRun', payload: string): void;
}

/** A log event, as CloudWatch sees it. */
export interface WrittenLogEvent {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly message: string;
}

/** What CloudWatch Logs needs of CloudWatch besides the place for metrics: who reads them out of log events. */
export interface EmbeddedMetrics {
  takeLogEvent(event: WrittenLogEvent): void;
}

/** The services that are told of what comes in. */
export interface LogsNeighbours {
  /** @default nobody reads metrics in the embedded metric format */
  readonly cloudWatch?: EmbeddedMetrics;
  /** @default there are no functions, and subscription filters are refused */
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

/** What CloudWatch Logs writes down. The events themselves are read from the groups. */
export type LogsHappening =
  | (OnGroup & { readonly type: 'logs.group-created' | 'logs.group-deleted' })
  /** A subscription filter has handed events on. */
  | (OfSubscription & { readonly type: 'logs.delivered' })
  /** A subscription's destination is out of order, or throttled; it is tried again. */
  | (OfSubscription & {
      readonly type: 'logs.delivery-failed';
      /** 1 for the first. */
      readonly attempt: number;
      readonly reason: string;
      readonly nextAttemptAtMs: number;
    })
  /** A subscription's destination has not taken the events; they are lost to it. */
  | (OfSubscription & { readonly type: 'logs.undeliverable'; readonly reason: string })
  | { readonly type: 'logs.query-started' | 'logs.query-completed' | 'logs.query-stopped'; readonly queryId: string }
  | Refused<'logs'>;

/** Without the `:*` that stands for its streams. */
export const logGroupArn = (place: Place, logGroupName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}`);

export const logStreamArn = (place: Place, logGroupName: string, logStreamName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}:log-stream:${logStreamName}`);

/** CloudWatch Logs, as policies name it. */
export const logsService = ({ region, urlSuffix }: Place): string => `logs.${region}.${urlSuffix}`;

/** The name in a log group's identifier, which is the name itself or an ARN with or without `:*`. */
export function nameInIdentifier(identifier: string): string {
  return /^log-group:([^:]+)(:\*)?$/.exec(parseArn(identifier)?.resource ?? '')?.[1] ?? identifier;
}
