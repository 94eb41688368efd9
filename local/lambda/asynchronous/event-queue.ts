import { AwsError } from '../../kernel/aws-error';
import { isThrottle } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import { type RetryLimits, retryLimits } from '../function/event-invoke-configuration';
import type { Outcome } from '../invocation';
import type { Condition, LambdaContext, RetryReason } from '../ports';
import type { EventOutcomes } from './dead-letters';
import { type LastError, notRun, type QueuedEvent, STOPPED_LOOP, THROTTLED } from './queued-event';

/**
 * Lambda's own queue for asynchronous invocations: it invokes, tries again, and in the end hands the event to the
 * dead-letter queue and the destinations, or loses it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 */
export class EventQueue {
  constructor(
    private readonly context: LambdaContext,
    private readonly deadLetters: EventOutcomes,
  ) {}

  /**
   * Takes an event; it is tried by due work, at once.
   *
   * @param cause the trace header of the request
   */
  accept(target: FunctionTarget, requestId: string, payload: string, cause: string | undefined): void {
    const { timeline } = this.context;
    const { deployed } = target;
    target.metrics.count('AsyncEventsReceived');
    const traceHeader = deployed.traceHeader(cause);
    const queuedAtMs = timeline.nowMs;
    const event: QueuedEvent = { target, requestId, payload, traceHeader, queuedAtMs, failures: 0, requeues: 0 };
    const isLoop = deployed.isLoop(cause);
    timeline.after(0, () => (isLoop ? this.stopLoop(event) : this.attempt(event)));
  }

  private attempt(event: QueuedEvent): Promise<void> | undefined {
    const { target } = event;
    const unavailable = target.unavailable();
    if (unavailable) {
      this.requeue(event, notRun(unavailable));
      return undefined;
    }
    if (target.deployed.reservedConcurrency === 0) {
      // A function that is switched off gets no retries.
      event.lastError = THROTTLED;
      target.metrics.count('Throttles');
      this.giveUp(event, 'RetriesExhausted');
      return undefined;
    }
    try {
      return this.start(event);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      event.lastError = notRun(error);
      this.giveUp(event, 'RetriesExhausted');
      return undefined;
    }
  }

  private start(event: QueuedEvent): Promise<void> | undefined {
    const { target, requestId, payload, traceHeader, failures } = event;
    const invocation = { requestId, payload, traceHeader, trigger: 'Event', attempt: failures + 1 } as const;
    const started = target.start(invocation, (outcome, version) => this.finished(event, outcome, version));
    if (started) target.metrics.milliseconds('AsyncEventAge', this.ageMs(event));
    else this.requeue(event, THROTTLED);
    return started;
  }

  private stopLoop(event: QueuedEvent): void {
    event.target.stopLoop({ requestId: event.requestId, trigger: 'Event' });
    event.lastError = STOPPED_LOOP;
    this.giveUp(event, 'RetriesExhausted');
  }

  /** Lambda did not run the function, and takes the event back. */
  private requeue(event: QueuedEvent, error: LastError): void {
    event.requeues += 1;
    event.lastError = error;
    const reason = isThrottle({ httpStatus: error.statusCode }) ? 'throttled' : 'system-error';
    this.apply(event, afterRequeue(this.history(event), this.limits(event)), reason);
  }

  private finished(event: QueuedEvent, outcome: Outcome, version: string): void {
    event.executedVersion = version;
    if (outcome.kind === 'success') {
      this.deadLetters.succeeded(event, outcome.payload);
      return;
    }
    event.failures += 1;
    event.requeues = 0;
    event.lastError = { statusCode: 200, error: outcome.error };
    this.apply(event, afterFailure(this.history(event), this.limits(event)), 'function-error');
  }

  private apply(event: QueuedEvent, next: NextAttempt, reason: RetryReason): void {
    if (next.kind === 'give-up') {
      this.giveUp(event, next.condition);
      return;
    }
    const { delaySeconds } = next;
    const { requestId, target } = event;
    const functionArn = target.deployed.arn;
    this.context.trace.record({ type: 'lambda.retry-scheduled', functionArn, requestId, reason, delaySeconds });
    this.context.timeline.after(delaySeconds * 1000, () => this.attempt(event));
  }

  private giveUp(event: QueuedEvent, condition: Condition): void {
    event.target.metrics.count('AsyncEventsDropped');
    this.deadLetters.failed(event, condition);
  }

  private limits({ target }: QueuedEvent) {
    return retryLimits(target.eventInvoke);
  }

  private ageMs({ queuedAtMs }: QueuedEvent): number {
    return this.context.timeline.nowMs - queuedAtMs;
  }

  private history(event: QueuedEvent): EventHistory {
    return { ageMs: this.ageMs(event), failures: event.failures, requeues: event.requeues };
  }
}

/** Seconds before the first and the second retry of an event the function failed on. */
const RETRY_DELAYS_SECONDS = [60, 120];

/** An event Lambda could not run is tried again after one second, and twice as long each time, up to five minutes. */
const FIRST_REQUEUE_DELAY_SECONDS = 1;
const LONGEST_REQUEUE_DELAY_SECONDS = 300;

/** What happens to an event that was not processed. */
export type NextAttempt =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'give-up'; readonly condition: Condition };

/** How old the event is, and what has been tried. */
export interface EventHistory {
  readonly ageMs: number;
  /** Attempts the function has failed at, the latest included. */
  readonly failures: number;
  /** How often it was throttled, or met a system error, since the last attempt, the latest included. */
  readonly requeues: number;
}

/**
 * After a function error: one minute before the second attempt, two before the third.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function afterFailure(history: EventHistory, limits: RetryLimits): NextAttempt {
  const delaySeconds = RETRY_DELAYS_SECONDS[history.failures - 1];
  if (delaySeconds === undefined || history.failures > limits.maximumRetryAttempts) {
    return { kind: 'give-up', condition: 'RetriesExhausted' };
  }
  return unlessTooOld(history, delaySeconds, limits);
}

/** After a throttle or a system error, which use up no attempt: again and again until the event is too old. */
export function afterRequeue(history: EventHistory, limits: RetryLimits): NextAttempt {
  const delaySeconds = FIRST_REQUEUE_DELAY_SECONDS * 2 ** (history.requeues - 1);
  return unlessTooOld(history, Math.min(delaySeconds, LONGEST_REQUEUE_DELAY_SECONDS), limits);
}

/** Lambda looks ahead: an event that would be too old at its next attempt is given up at once, as recorded on AWS. */
function unlessTooOld({ ageMs }: EventHistory, delaySeconds: number, limits: RetryLimits): NextAttempt {
  const isTooOld = ageMs + delaySeconds * 1000 >= limits.maximumEventAgeSeconds * 1000;
  return isTooOld ? { kind: 'give-up', condition: 'EventAgeExceeded' } : { kind: 'retry', delaySeconds };
}
