import { gzipSync } from 'node:zlib';
import type { Distribution } from '@aws-sdk/client-cloudwatch-logs';
import { DAY_SECONDS } from '../../policy/time-units';
import { deliverNow, type RetryPolicy } from '../event-delivery/delivery';
import { type Caller, serviceCaller } from '../kernel/caller';
import type { ServiceContext } from '../kernel/service-api';
import { type FilterPattern, parseFilterPattern } from './filter/filter-pattern';
import { eventId, type LogEvent } from './log-events';
import { type Functions, logGroupArn } from './ports';
import type { LogsTraceEvent } from './trace-events';

interface Subscription {
  readonly logGroupName: string;
  readonly filterName: string;
  readonly filterPattern: string;
  /** The ARN of a function. */
  readonly destinationArn: string;
  /** Has no effect when the destination is a function. */
  readonly distribution: Distribution;
}

/**
 * AWS retries for 24 hours. **Assumption LOGS-5:** AWS does not publish the interval. The retries use the schedule of
 * EventBridge.
 */
const RETRIES: RetryPolicy = { maximumRetryAttempts: Number.POSITIVE_INFINITY, maximumEventAgeSeconds: DAY_SECONDS };

/** CloudWatch Logs as the caller that a function's policy sees, for one log group. */
export function logsCaller({ place }: Pick<ServiceContext<LogsTraceEvent>, 'place'>, logGroupName: string): Caller {
  return serviceCaller('logs.amazonaws.com', `${logGroupArn(place, logGroupName)}:*`, place.account);
}

/**
 * Delivers matching events to a function, in the format of the `awslogs` event.
 *
 * **Assumption LOGS-6:** AWS does not publish how it groups events. Events that one stream receives at the same instant
 * are delivered together.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
export class SubscriptionFilter {
  readonly pattern: FilterPattern;
  private readonly waiting = new Map<string, LogEvent[]>();

  /** @throws AwsError when the pattern is malformed */
  constructor(
    readonly subscription: Subscription,
    readonly createdAtMs: number,
    private readonly context: ServiceContext<LogsTraceEvent>,
    private readonly functions: () => Functions,
  ) {
    this.pattern = parseFilterPattern(subscription.filterPattern);
  }

  take(event: LogEvent): void {
    if (!this.pattern.matches(event.message)) return;
    const batch = this.waiting.get(event.streamName);
    if (batch) {
      batch.push(event);
      return;
    }
    const begun = [event];
    this.waiting.set(event.streamName, begun);
    this.context.timeline.after(0, () => {
      this.waiting.delete(event.streamName);
      this.deliver(event.streamName, begun);
    });
  }

  private deliver(logStreamName: string, events: readonly LogEvent[]): void {
    const { logGroupName, filterName, destinationArn } = this.subscription;
    const reported = { logGroupName, filterName, destinationArn, logStreamName, logEvents: events.length };
    const payload = JSON.stringify({ awslogs: { data: this.data(logStreamName, events) } });
    const caller = logsCaller(this.context, logGroupName);
    const { trace, timeline } = this.context;
    deliverNow(timeline, {
      policy: RETRIES,
      attempt: (_attempt, latency) => {
        this.functions().invoke(destinationArn, { ...caller, latency }, 'Event', payload);
      },
      delivered: () => trace.record({ type: 'logs.delivered', ...reported }),
      attemptFailed: ({ attempt, error }, nextAttemptAtMs) => {
        if (nextAttemptAtMs === undefined) return;
        trace.record({ type: 'logs.delivery-failed', ...reported, attempt, reason: error.reason, nextAttemptAtMs });
      },
      givenUp: ({ error }) => trace.record({ type: 'logs.undeliverable', ...reported, reason: error.reason }),
    });
  }

  /** Uses gzip without compression, so that every version of zlib writes the same bytes. */
  private data(logStream: string, events: readonly LogEvent[]): string {
    const message = {
      messageType: 'DATA_MESSAGE',
      owner: this.context.place.account,
      logGroup: this.subscription.logGroupName,
      logStream,
      subscriptionFilters: [this.subscription.filterName],
      logEvents: events.map(event => ({ id: eventId(event), timestamp: event.atMs, message: event.message })),
    };
    return gzipSync(JSON.stringify(message), { level: 0 }).toString('base64');
  }
}
