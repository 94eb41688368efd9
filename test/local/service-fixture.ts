import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../local/kernel/aws-error';
import { administrator } from '../../local/kernel/caller';
import { Faults } from '../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import type { Measurement } from '../../local/kernel/telemetry';
import { Timeline } from '../../local/kernel/timeline';
import { Trace, type Traced, type TraceEvent } from '../../local/kernel/trace';
import type { Sqs } from '../../local/sqs';

/** 2026-01-01T00:00:00Z, a Thursday. */
export const START_MS = Date.UTC(2026, 0, 1);

export const ADMIN = administrator(EXAMPLE_PLACE.account);

/** The time, trace, faults and measurements of a service under test. */
export class ServiceFixture<Event extends TraceEvent> {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<Event>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly measured: (Measurement & { readonly atMs: number })[] = [];
  protected readonly metrics = {
    put: (measurement: Measurement) => void this.measured.push({ ...measurement, atMs: this.timeline.nowMs }),
  };

  /** Seconds since the start. */
  get seconds(): number {
    return (this.timeline.nowMs - START_MS) / 1000;
  }

  /** Goes to so many seconds after the start. */
  async goTo(seconds: number): Promise<void> {
    await this.timeline.advanceTo(START_MS + seconds * 1000);
  }

  async settle(): Promise<void> {
    await this.timeline.runUntilIdle();
  }

  happened<Type extends Event['type']>(type: Type): Traced<Extract<Event, { type: Type }>>[] {
    return this.trace.events.filter((it): it is Traced<Extract<Event, { type: Type }>> => it.type === type);
  }
}

/** A short poll for up to ten messages, with all their attributes. */
export function receiveFrom(
  sqs: Sqs,
  QueueUrl: string | undefined,
  VisibilityTimeout?: number,
  MaxNumberOfMessages = 10,
): Message[] {
  const answer = sqs.call('ReceiveMessage', ADMIN, {
    QueueUrl,
    MaxNumberOfMessages,
    VisibilityTimeout,
    WaitTimeSeconds: 0,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  if (answer instanceof Promise) throw new Error('a short poll must answer at once');
  return answer.Messages ?? [];
}

/** The error `call` throws, as a client sees it. */
export function errorOf(call: () => unknown): { code: string; message: string; status: number } {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return { code: error.code, message: error.message, status: error.httpStatus };
    throw error;
  }
  throw new Error('nothing was thrown');
}
