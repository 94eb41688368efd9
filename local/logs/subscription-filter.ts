import { gzipSync } from 'node:zlib';
import type { Distribution } from '@aws-sdk/client-cloudwatch-logs';
import { deliverNow, type RetryPolicy } from '../event-delivery';
import { type Caller, serviceCaller } from '../kernel/caller';
import type { ServiceContext } from '../kernel/service-api';
import { type FilterPattern, parseFilterPattern } from './filter/filter-pattern';
import { eventId, type LogEvent } from './log-events';
import { type Functions, type LogsHappening, logGroupArn } from './ports';

/** What a subscription filter is made of. */
export interface Subscription {
  readonly logGroupName: string;
  readonly filterName: string;
  readonly filterPattern: string;
  /** The ARN of a function. */
  readonly destinationArn: string;
  /** Has no effect on a function. */
  readonly distribution: Distribution;
}

/** AWS tries for a day, and says nothing of how often. Our choice: at EventBridge's pace. */
const RETRIES: RetryPolicy = { maximumRetryAttempts: Number.POSITIVE_INFINITY, maximumEventAgeSeconds: 86_400 };

/** CloudWatch Logs as a function's policy sees it, calling for a log group. */
export function logsCaller({ place }: Pick<ServiceContext<LogsHappening>, 'place'>, logGroupName: string): Caller {
  return serviceCaller('logs.amazonaws.com', `${logGroupArn(place, logGroupName)}:*`, place.account);
}

/**
 * Hands the events that match on to a function, in the shape of the event `awslogs`. What comes in at one instant for one
 * stream goes in one batch, our choice.
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
    private readonly context: ServiceContext<LogsHappening>,
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

  /** Zipped as AWS does, but stored rather than deflated: so every zlib writes the same bytes. */
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
