import type { Refused } from '../kernel/doorkeeper';

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
