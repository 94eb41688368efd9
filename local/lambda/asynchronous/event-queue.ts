import { AwsError } from '../../kernel/aws-error';
import { type Caller, roleCaller } from '../../kernel/caller';
import type { DeployedFunction } from '../deployed-function';
import type { Condition } from '../happenings';
import type { Outcome } from '../invocation';
import type { LambdaContext } from '../ports';
import { deadLetter } from './dead-letter';
import { destinationRecord, type Result } from './destination-record';
import { afterFailure, afterThrottle, type EventHistory, type NextAttempt } from './next-attempt';
import type { PostOffice } from './post-office';
import { type QueuedEvent, STOPPED_LOOP, THROTTLED } from './queued-event';

/**
 * Lambda's own queue for asynchronous invocations of one function: it invokes, tries again, and in the end hands the event
 * to the dead-letter queue and the destinations, or loses it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 */
export class EventQueue {
  constructor(
    private readonly deployed: DeployedFunction,
    private readonly context: LambdaContext,
    private readonly post: PostOffice,
  ) {}

  /**
   * Takes an event; it is tried by due work, at once.
   *
   * @param cause the trace header of the request
   */
  accept(requestId: string, payload: string, cause: string | undefined): void {
    const queuedAtMs = this.context.timeline.nowMs;
    this.deployed.metrics.count('AsyncEventsReceived');
    const traceHeader = this.deployed.traceHeader(cause);
    const event: QueuedEvent = { requestId, payload, traceHeader, queuedAtMs, failures: 0, throttles: 0 };
    const isLoop = this.deployed.isLoop(cause);
    this.context.timeline.after(0, () => (isLoop ? this.stopLoop(event) : this.attempt(event)));
  }

  private attempt(event: QueuedEvent): Promise<void> | undefined {
    if (this.deployed.configuration.reservedConcurrentExecutions === 0) {
      // A function that is switched off gets no retries.
      event.lastError = THROTTLED;
      this.deployed.metrics.count('Throttles');
      this.giveUp(event, 'RetriesExhausted');
      return undefined;
    }
    const { requestId, payload, traceHeader, failures } = event;
    const invocation = { requestId, payload, traceHeader, trigger: 'Event', attempt: failures + 1 } as const;
    const started = this.deployed.start(invocation, outcome => this.finished(event, outcome));
    if (started) this.deployed.metrics.milliseconds('AsyncEventAge', this.ageMs(event));
    else this.throttled(event);
    return started;
  }

  private stopLoop(event: QueuedEvent): void {
    this.deployed.stopLoop({ requestId: event.requestId, trigger: 'Event' });
    event.lastError = STOPPED_LOOP;
    this.giveUp(event, 'RetriesExhausted');
  }

  private throttled(event: QueuedEvent): void {
    event.throttles += 1;
    event.lastError = THROTTLED;
    this.carryOut(event, afterThrottle(this.history(event), this.deployed.eventInvoke), 'throttled');
  }

  private finished(event: QueuedEvent, outcome: Outcome): void {
    if (outcome.kind === 'success') {
      this.tell(this.deployed.eventInvoke.onSuccessArn, event, { condition: 'Success', payload: outcome.payload });
      return;
    }
    event.failures += 1;
    event.throttles = 0;
    event.lastError = { statusCode: 200, error: outcome.error };
    this.carryOut(event, afterFailure(this.history(event), this.deployed.eventInvoke), 'function-error');
  }

  private carryOut(event: QueuedEvent, next: NextAttempt, reason: 'function-error' | 'throttled'): void {
    if (next.kind === 'give-up') {
      this.giveUp(event, next.condition);
      return;
    }
    const { delaySeconds } = next;
    const { requestId } = event;
    this.context.trace.record({
      type: 'lambda.retry-scheduled',
      functionArn: this.arn,
      requestId,
      reason,
      delaySeconds,
    });
    this.context.timeline.after(delaySeconds * 1000, () => this.attempt(event));
  }

  /** Nobody will try the event again: it goes to whoever keeps dead letters, and is lost if nobody does. */
  private giveUp(event: QueuedEvent, condition: Condition): void {
    const { requestId, failures, lastError = THROTTLED } = event;
    this.deployed.metrics.count('AsyncEventsDropped');
    const isKept = [
      this.sendToDeadLetterTarget(event, condition),
      this.tell(this.deployed.eventInvoke.onFailureArn, event, { condition, lastError }),
    ];
    if (isKept.includes(true)) return;
    const hasTarget = this.deployed.configuration.deadLetterTargetArn ?? this.deployed.eventInvoke.onFailureArn;
    const reason = hasTarget
      ? 'no target took it'
      : 'the function has no dead-letter queue and no on-failure destination';
    const lost = { type: 'lambda.lost', functionArn: this.arn, requestId, condition } as const;
    this.context.trace.record({ ...lost, attempts: failures, reason });
  }

  private sendToDeadLetterTarget(event: QueuedEvent, condition: Condition): boolean {
    const { deadLetterTargetArn: targetArn } = this.deployed.configuration;
    if (!targetArn) return false;
    const { requestId, failures, lastError = THROTTLED } = event;
    const { body, attributes } = deadLetter(event, lastError);
    const about = { functionArn: this.arn, requestId, targetArn };
    const refused = this.refusal(() => this.post.send(targetArn, this.sender(event), body, attributes));
    if (refused) {
      this.deployed.metrics.count('DeadLetterErrors');
      this.context.trace.record({ type: 'lambda.dead-letter-failed', ...about, ...refused });
      return false;
    }
    this.context.trace.record({ type: 'lambda.dead-lettered', ...about, condition, attempts: failures });
    return true;
  }

  private tell(destinationArn: string | undefined, event: QueuedEvent, result: Result): boolean {
    if (!destinationArn) return false;
    const { requestId } = event;
    const record = destinationRecord(this.arn, event, result, this.context.timeline.nowMs);
    const refused = this.refusal(() => this.post.send(destinationArn, this.sender(event), record));
    const about = { functionArn: this.arn, requestId };
    if (refused) {
      this.deployed.metrics.count('DestinationDeliveryFailures');
      this.context.trace.record({ type: 'lambda.destination-failed', ...about, targetArn: destinationArn, ...refused });
      return false;
    }
    const { condition } = result;
    this.context.trace.record({ type: 'lambda.destination-delivered', ...about, destinationArn, condition });
    return true;
  }

  /** Lambda sends with the function's role, and as part of the chain of requests that led here. */
  private sender({ traceHeader }: QueuedEvent): Caller {
    return { ...roleCaller(this.deployed.configuration.roleArn), traceHeader };
  }

  /** What AWS answered instead of doing it. */
  private refusal(send: () => void): { readonly code: string; readonly reason: string } | undefined {
    try {
      send();
      return undefined;
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return { code: error.code, reason: error.message };
    }
  }

  private get arn(): string {
    return this.deployed.arn;
  }

  private ageMs({ queuedAtMs }: QueuedEvent): number {
    return this.context.timeline.nowMs - queuedAtMs;
  }

  private history(event: QueuedEvent): EventHistory {
    return { ageMs: this.ageMs(event), failures: event.failures, throttles: event.throttles };
  }
}
