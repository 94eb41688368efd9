import { DAY_MS } from '../../policy/time-units';
import { AwsError } from '../kernel/aws-error';
import { ResourceTags, refuseByModel, TAG_RULES, type TagRules } from '../kernel/tags';
import { invalidParameter } from './errors';
import { EventList, type LogEvent, LogStream } from './log-events';
import type { MetricFilter } from './metric-filter';
import type { SubscriptionFilter } from './subscription-filter';

export class LogGroup {
  /** @default events never expire */
  retentionInDays: number | undefined;
  /** Used only for the access check when the group is created. Events in memory are not encrypted. */
  kmsKeyId: string | undefined;
  deletionProtectionEnabled = false;
  readonly tags: ResourceTags;
  readonly streams = new Map<string, LogStream>();
  readonly metricFilters = new Map<string, MetricFilter>();
  readonly subscriptionFilters = new Map<string, SubscriptionFilter>();
  private readonly kept = new EventList();
  private bytes = 0;

  constructor(
    readonly name: string,
    readonly createdAtMs: number,
  ) {
    this.tags = new ResourceTags(logGroupTags(name));
  }

  /** The size of the stored messages in bytes. AWS reports the compressed size, with a delay. */
  get storedBytes(): number {
    return this.bytes;
  }

  addStream(name: string, nowMs: number): LogStream {
    const stream = new LogStream(name, nowMs);
    this.streams.set(name, stream);
    return stream;
  }

  deleteStream(stream: LogStream): void {
    this.streams.delete(stream.name);
    const rest = this.kept
      .forgetBefore(Number.POSITIVE_INFINITY)
      .filter(({ streamName }) => streamName !== stream.name);
    this.kept.add(rest);
    this.bytes = rest.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  }

  /** @param events sorted by time */
  add(stream: LogStream, events: readonly LogEvent[], nowMs: number): void {
    if (events.length === 0) return;
    this.kept.add(events);
    stream.events.add(events);
    stream.lastIngestedAtMs = nowMs;
    for (const { message } of events) this.bytes += Buffer.byteLength(message);
    this.forgetExpired(nowMs);
  }

  /** The oldest instant whose events are still retained. */
  oldestMs(nowMs: number): number {
    return this.retentionInDays === undefined ? Number.NEGATIVE_INFINITY : nowMs - this.retentionInDays * DAY_MS;
  }

  /** Returns the events that have not expired by `nowMs`. */
  events(nowMs: number): EventList {
    this.forgetExpired(nowMs);
    return this.kept;
  }

  private forgetExpired(nowMs: number): void {
    if (this.retentionInDays === undefined) return;
    const oldestMs = this.oldestMs(nowMs);
    const expired = this.kept.forgetBefore(oldestMs);
    if (expired.length === 0) return;
    for (const name of new Set(expired.map(({ streamName }) => streamName))) {
      this.streams.get(name)?.events.forgetBefore(oldestMs);
    }
    for (const { message } of expired) this.bytes -= Buffer.byteLength(message);
  }
}

/**
 * The rules for the tags of a log group.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_TagResource.html
 */
export function logGroupTags(groupName: string): TagRules {
  const refuse = refuseByModel(invalidParameter, () => 'tags');
  const tooMany = () =>
    new AwsError('TooManyTagsException', TAG_RULES.most(undefined), 400, { resourceName: groupName });
  return {
    restrictsCharacters: true,
    refuse: breaches => (breaches[0]?.rule === 'most' ? tooMany() : refuse(breaches)),
  };
}
