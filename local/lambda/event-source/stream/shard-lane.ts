import type { Scheduled, Scheduler } from '../../../kernel/timeline';
import type { Outcome } from '../../invocation';
import { failedMessages } from '../batch';
import type { MappingConfiguration } from '../mapping-configuration';
import type { StreamConfiguration } from './stream-configuration';
import type { DiscardCondition, LastRun } from './stream-event';
import type { StreamRecord } from './streams';

/**
 * **Assumption LAMBDA-19:** AWS does not publish how long Lambda waits before it retries a batch of a stream. Here the first
 * retry comes after 1 s, and each wait is twice as long as the one before, up to a minute.
 */
const LONGEST_WAIT_SECONDS = 60;

/** The maximum size of an event is 6 MB. */
const MOST_BYTES = 6 * 1024 * 1024;

/** Records that were read together, and how often the function has failed to process them. */
export interface StreamBatch {
  readonly records: readonly StreamRecord[];
  readonly invocations: number;
  /** Failed invocations that count towards the limit of retries. */
  readonly failures: number;
  readonly last: LastRun | undefined;
}

export interface LanePorts {
  readonly timeline: Scheduler;
  readonly configuration: MappingConfiguration;
  readonly stream: StreamConfiguration;
  /** How long the stream keeps records. */
  readonly retentionMs: number;
  /**
   * Runs the function. Returns undefined when it could not run.
   *
   * @param done called by due work with the outcome and the version of the function that ran
   */
  invoke(batch: StreamBatch, done: (outcome: Outcome, version: string) => void): Promise<void> | undefined;
  discard(batch: StreamBatch, condition: DiscardCondition): void;
}

/**
 * A shard, or one part of it with a parallelization factor: its records are processed in order, one batch at a time. A
 * batch that fails blocks the records after it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
export class ShardLane {
  private waiting: StreamRecord[] = [];
  private batches: StreamBatch[] = [];
  private isRunning = false;
  private isStopped = false;
  private pause: Scheduled | undefined;
  private window: Scheduled | undefined;
  private isWindowOver = false;
  private unableToRun = 0;

  constructor(private ports: LanePorts) {}

  /** The same records, for another poller of the mapping. */
  movedTo(ports: LanePorts): this {
    this.ports = ports;
    return this;
  }

  /** Records that wait for their first or next invocation. */
  get unprocessed(): readonly StreamRecord[] {
    return [...this.batches.flatMap(({ records }) => records), ...this.waiting];
  }

  /** Removes those of these records that wait, and returns them. */
  withdraw(records: readonly StreamRecord[]): readonly StreamRecord[] {
    const withdrawn = this.unprocessed.filter(record => records.includes(record));
    const stays = (record: StreamRecord): boolean => !withdrawn.includes(record);
    this.waiting = this.waiting.filter(stays);
    const batches = this.batches.map(batch => ({ ...batch, records: batch.records.filter(stays) }));
    this.batches = batches.filter(batch => batch.records.length > 0);
    return withdrawn;
  }

  add(records: readonly StreamRecord[]): void {
    this.waiting.push(...records);
    this.workSoon();
  }

  /** Finishes a running batch, and starts no other. */
  stop(): void {
    this.isStopped = true;
    this.pause?.cancel();
    this.window?.cancel();
    this.pause = undefined;
    this.window = undefined;
  }

  start(): void {
    this.isStopped = false;
    this.workSoon();
  }

  private workSoon(): void {
    this.ports.timeline.after(0, () => this.work());
  }

  private work(): Promise<void> | undefined {
    if (this.isRunning || this.isStopped || this.pause) return undefined;
    const batch = this.batches.shift() ?? this.nextBatch();
    if (!batch) return undefined;
    const fresh = this.withoutExpired(batch);
    if (!fresh) {
      this.workSoon();
      return undefined;
    }
    this.isRunning = true;
    const started = this.ports.invoke(fresh, (outcome, version) => this.finished(fresh, { outcome, version }));
    if (started) return started;
    this.isRunning = false;
    this.unableToRun += 1;
    this.retry([fresh], this.unableToRun);
    return undefined;
  }

  /** Takes records from the stream, once a batch is full or its window is over. */
  private nextBatch(): StreamBatch | undefined {
    const { batchSize, maximumBatchingWindowSeconds: windowSeconds } = this.ports.configuration;
    const count = countThatFits(this.waiting, batchSize);
    if (count === 0) return undefined;
    const isFull = count === batchSize || count < this.waiting.length;
    if (!isFull && windowSeconds > 0 && !this.isWindowOver) {
      this.window ??= this.ports.timeline.after(windowSeconds * 1000, () => {
        this.isWindowOver = true;
        return this.work();
      });
      return undefined;
    }
    this.window?.cancel();
    this.window = undefined;
    this.isWindowOver = false;
    const records = this.waiting.splice(0, count);
    return { records, invocations: 0, failures: 0, last: undefined };
  }

  /** Discards the records that are too old. Returns undefined when none is left. */
  private withoutExpired(batch: StreamBatch): StreamBatch | undefined {
    const { stream, timeline, retentionMs } = this.ports;
    const { maximumRecordAgeSeconds: seconds } = stream;
    const mostMs = seconds < 0 ? retentionMs : Math.min(retentionMs, seconds * 1000);
    const isOld = ({ arrivedAtMs }: StreamRecord): boolean => timeline.nowMs - arrivedAtMs >= mostMs;
    const old = batch.records.filter(isOld);
    if (old.length === 0) return batch;
    this.ports.discard({ ...batch, records: old }, 'RecordAgeExceeded');
    const records = batch.records.filter(record => !isOld(record));
    return records.length > 0 ? { ...batch, records } : undefined;
  }

  private finished(batch: StreamBatch, last: LastRun): void {
    this.isRunning = false;
    this.unableToRun = 0;
    const { configuration, stream } = this.ports;
    const ids = batch.records.map(({ sequenceNumber }) => sequenceNumber);
    const failed = failedMessages(ids, last.outcome, configuration.reportBatchItemFailures);
    // The first failed record is the checkpoint: it and everything after it is retried.
    const at = ids.findIndex(id => failed.has(id));
    if (at === -1) {
      this.workSoon();
      return;
    }
    const invocations = batch.invocations + 1;
    const records = batch.records.slice(at);
    const again = { records, invocations, failures: batch.failures, last };
    if (stream.bisectBatchOnFunctionError && records.length > 1) {
      // Splitting a batch does not count as a retry. What a partial response leaves is already smaller.
      const half = at > 0 ? records.length : Math.ceil(records.length / 2);
      const parts = [records.slice(0, half), records.slice(half)].filter(part => part.length > 0);
      this.retry(
        parts.map(part => ({ ...again, records: part })),
        invocations,
      );
      return;
    }
    const failures = batch.failures + 1;
    const most = stream.maximumRetryAttempts;
    if (most < 0 || failures <= most) this.retry([{ ...again, failures }], invocations);
    else {
      this.ports.discard({ ...again, failures }, 'RetryAttemptsExhausted');
      this.workSoon();
    }
  }

  /** @param count how often it was tried */
  private retry(batches: readonly StreamBatch[], count: number): void {
    this.batches.unshift(...batches);
    const seconds = Math.min(2 ** Math.min(count - 1, 30), LONGEST_WAIT_SECONDS);
    this.pause = this.ports.timeline.after(seconds * 1000, () => {
      this.pause = undefined;
      return this.work();
    });
  }
}

function countThatFits(records: readonly StreamRecord[], most: number): number {
  let bytes = 0;
  let count = 0;
  for (const record of records.slice(0, most)) {
    bytes += Buffer.byteLength(JSON.stringify(record.members));
    if (count > 0 && bytes > MOST_BYTES) break;
    count += 1;
  }
  return count;
}
