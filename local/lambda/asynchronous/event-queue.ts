import { AwsError } from '../../kernel/aws-error';
import { isThrottle } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import { type RetryLimits, retryLimits } from '../function/event-invoke-configuration';
import type { Outcome } from '../invocation';
import type { Condition, LambdaContext, RetryReason } from '../trace-events';
import type { EventOutcomes } from './event-outcomes';
import { type LastError, notRun, type QueuedEvent, STOPPED_LOOP, THROTTLED } from './queued-event';

/**
 * Lambda's internal queue for asynchronous invocations. It invokes the function, retries, and finally sends the event
 * to the dead-letter target and the destinations.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 */
export class EventQueue {
  constructor(
    private readonly context: LambdaContext,
    private readonly outcomes: EventOutcomes,
  ) {}

  /**
   * Queues an event. The first attempt is scheduled immediately.
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
      // AWS does not retry a function whose reserved concurrency is 0.
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

  /** Lambda did not run the function and queues the event again. */
  private requeue(event: QueuedEvent, error: LastError): void {
    event.requeues += 1;
    event.lastError = error;
    const reason = isThrottle({ httpStatus: error.statusCode }) ? 'throttled' : 'system-error';
    this.apply(event, afterRequeue(this.history(event), this.limits(event)), reason);
  }

  private finished(event: QueuedEvent, outcome: Outcome, version: string): void {
    event.executedVersion = version;
    if (outcome.kind === 'success') {
      this.outcomes.succeeded(event, outcome.payload);
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
    this.outcomes.failed(event, condition);
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

/** The delays in seconds before the first and the second retry after a function error. */
const RETRY_DELAYS_SECONDS = [60, 120];

/** If Lambda cannot run the function, it retries after one second. It doubles the delay each time, up to five minutes. */
const FIRST_REQUEUE_DELAY_SECONDS = 1;
const LONGEST_REQUEUE_DELAY_SECONDS = 300;

/** The next step for an event that was not processed. */
type NextAttempt =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'give-up'; readonly condition: Condition };

interface EventHistory {
  readonly ageMs: number;
  /** Failed attempts, including the latest. */
  readonly failures: number;
  /** Throttles and system errors since the last attempt, including the latest. */
  readonly requeues: number;
}

/**
 * After a function error, AWS waits one minute before the second attempt and two before the third.
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

/** Throttles and system errors do not count as attempts. Lambda retries until the event is too old. */
export function afterRequeue(history: EventHistory, limits: RetryLimits): NextAttempt {
  const delaySeconds = FIRST_REQUEUE_DELAY_SECONDS * 2 ** (history.requeues - 1);
  return unlessTooOld(history, Math.min(delaySeconds, LONGEST_REQUEUE_DELAY_SECONDS), limits);
}

/** Lambda gives up an event at once if it would be too old at its next attempt, as recorded on AWS. */
function unlessTooOld({ ageMs }: EventHistory, delaySeconds: number, limits: RetryLimits): NextAttempt {
  const isTooOld = ageMs + delaySeconds * 1000 >= limits.maximumEventAgeSeconds * 1000;
  return isTooOld ? { kind: 'give-up', condition: 'EventAgeExceeded' } : { kind: 'retry', delaySeconds };
}
