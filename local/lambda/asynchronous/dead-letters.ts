import { AwsError } from '../../kernel/aws-error';
import { type Caller, roleCaller } from '../../kernel/caller';
import type { FunctionConfiguration } from '../function/function-configuration';
import type { Condition } from '../happenings';
import type { LambdaContext } from '../ports';
import { deadLetter } from './dead-letter';
import { destinationRecord, type Result } from './destination-record';
import type { PostOffice } from './post-office';
import { type QueuedEvent, THROTTLED } from './queued-event';

/**
 * Where an event goes in the end: to a destination when the function has processed it, and to whoever keeps dead letters
 * when nobody will try it again. It is lost if nobody does.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export class DeadLetters {
  constructor(
    private readonly context: LambdaContext,
    private readonly post: PostOffice,
  ) {}

  /** The function has processed the event; `payload` is what it answered. */
  succeeded(event: QueuedEvent, payload: string): void {
    this.tell(event.target.eventInvoke.onSuccessArn, event, { condition: 'Success', payload });
  }

  /** Nobody will try the event again. */
  givenUp(event: QueuedEvent, condition: Condition): void {
    const { requestId, failures, target, lastError = THROTTLED } = event;
    const { deadLetterTargetArn } = this.configuration(event);
    const { onFailureArn } = target.eventInvoke;
    const isKept = [
      this.sendToDeadLetterTarget(deadLetterTargetArn, event, condition),
      this.tell(onFailureArn, event, { condition, lastError }),
    ];
    if (isKept.includes(true)) return;
    const reason =
      (deadLetterTargetArn ?? onFailureArn)
        ? 'no target took it'
        : 'the function has no dead-letter queue and no on-failure destination';
    const lost = { type: 'lambda.lost', functionArn: target.deployed.arn, requestId, condition } as const;
    this.context.trace.record({ ...lost, attempts: failures, reason });
  }

  private sendToDeadLetterTarget(targetArn: string | undefined, event: QueuedEvent, condition: Condition): boolean {
    if (!targetArn) return false;
    const { requestId, failures, target, lastError = THROTTLED } = event;
    const { body, attributes } = deadLetter(event, lastError);
    const about = { functionArn: target.deployed.arn, requestId, targetArn };
    const refused = this.refusal(() => this.post.deadLetter(targetArn, this.sender(event), body, attributes));
    if (refused) {
      target.metrics.count('DeadLetterErrors');
      this.context.trace.record({ type: 'lambda.dead-letter-failed', ...about, ...refused });
      return false;
    }
    this.context.trace.record({ type: 'lambda.dead-lettered', ...about, condition, attempts: failures });
    return true;
  }

  private tell(destinationArn: string | undefined, event: QueuedEvent, result: Result): boolean {
    if (!destinationArn) return false;
    const { requestId, target } = event;
    const record = destinationRecord(event, result, this.context.timeline.nowMs);
    const refused = this.refusal(() => this.post.record(destinationArn, this.sender(event), record));
    const about = { functionArn: target.deployed.arn, requestId };
    if (refused) {
      target.metrics.count('DestinationDeliveryFailures');
      this.context.trace.record({ type: 'lambda.destination-failed', ...about, targetArn: destinationArn, ...refused });
      return false;
    }
    const { condition } = result;
    this.context.trace.record({ type: 'lambda.destination-delivered', ...about, destinationArn, condition });
    return true;
  }

  /** Lambda sends with the function's role, and as part of the chain of requests that led here. */
  private sender(event: QueuedEvent): Caller {
    return { ...roleCaller(this.configuration(event).roleArn), traceHeader: event.traceHeader };
  }

  /** Of the version that ran; where none did, or it is gone, of the function as it is now. */
  private configuration({ target: { deployed, qualifier }, executedVersion }: QueuedEvent): FunctionConfiguration {
    const alias = qualifier === undefined ? undefined : deployed.aliases.find(qualifier)?.functionVersion;
    const found = deployed.versions.find(executedVersion ?? alias ?? qualifier ?? '');
    return (found ?? deployed.versions.latest).configuration;
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
}
