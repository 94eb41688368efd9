import type { Refused } from '../kernel/service-api';

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
