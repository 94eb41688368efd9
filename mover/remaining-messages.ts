import { awsFailureOf } from './aws/aws-calls';
import type { DeadLetter, DeadLetterReceiver } from './dead-letter-receiver';
import { type PassCounter, type PassGuard, RESERVE_MS } from './pass-progress';

/** Default limit of messages that are hidden until the end of a pass. */
const MAX_REMAINING = 5_000;

/** What `RemainingDeadLetters` needs. */
export interface RemainingDeadLettersPorts {
  readonly deadLetters: DeadLetterReceiver;
  readonly counts: PassCounter;
  readonly guard: PassGuard;
  readonly movedBefore: MovedBefore;
  readonly remainingMs: () => number;
  /** @default 5,000 */
  readonly maxRemaining?: number;
}

/**
 * The received messages that a pass does not move, or that SQS has not deleted. They stay hidden until the pass ends, so that
 * it does not receive them again and again. Then they are made visible.
 */
export class RemainingDeadLetters {
  private readonly toShow: DeadLetter[] = [];
  /** Why messages remain that this pass does not move, by SQS message id. */
  private readonly reasons = new Map<string, string>();

  constructor(private readonly ports: RemainingDeadLettersPorts) {}

  /** Whether the message was moved before, and only has to be deleted. */
  isMoved({ messageId }: DeadLetter): boolean {
    return this.ports.movedBefore.undeleted.has(messageId);
  }

  /**
   * Whether a pass has sent the message before, and either got no response or the function failed. Such a message is not
   * sent again.
   */
  isTried({ messageId }: DeadLetter): boolean {
    const { unsure, failed } = this.ports.movedBefore;
    return unsure.has(messageId) || failed.has(messageId);
  }

  /** Makes the messages visible at the end. They are not hidden any longer than they are already. */
  showAtEnd(deadLetters: readonly DeadLetter[]): void {
    this.toShow.push(...deadLetters);
  }

  /** Hides messages until the end, which remain for this reason. */
  async hide(deadLetters: readonly DeadLetter[], reason: string): Promise<void> {
    if (deadLetters.length === 0) return;
    for (const { messageId } of deadLetters) this.reasons.set(messageId, reason);
    await this.hideUntilEnd(deadLetters);
  }

  /** Notes a message that the destination may have. It is counted at the end. */
  noteUnsure({ messageId }: DeadLetter, reason: string): void {
    this.ports.movedBefore.unsure.set(messageId, reason);
  }

  /** Hides a message on which the function failed. It is counted at the end. */
  async hideFailed(deadLetter: DeadLetter, reason: string): Promise<void> {
    this.ports.movedBefore.failed.set(deadLetter.messageId, reason);
    await this.hideUntilEnd([deadLetter]);
  }

  /** Hides messages again that were tried before. */
  async hideTriedAgain(deadLetters: readonly DeadLetter[]): Promise<void> {
    if (deadLetters.length > 0) await this.hideUntilEnd(deadLetters);
  }

  private async hideUntilEnd(deadLetters: readonly DeadLetter[]): Promise<void> {
    const { guard, movedBefore, remainingMs, maxRemaining = MAX_REMAINING } = this.ports;
    this.showAtEnd(deadLetters);
    const { unsure, failed } = movedBefore;
    const isTooMany = this.reasons.size + unsure.size + failed.size >= maxRemaining;
    if (isTooMany) guard.end({ status: 'FAILED', reason: `${maxRemaining} messages remain in the dead-letter queue` });
    await this.ports.deadLetters.hide(deadLetters, Math.ceil(Math.max(remainingMs(), RESERVE_MS) / 1_000));
  }

  /** Deletes messages that were moved, and notes those that SQS did not delete. */
  async remove(deadLetters: readonly DeadLetter[]): Promise<void> {
    if (deadLetters.length === 0) return;
    const { undeleted } = this.ports.movedBefore;
    // Noted first: if the call below rejects, it is unknown which of them were deleted.
    for (const { messageId } of deadLetters) undeleted.set(messageId, 'SQS did not answer');
    const reasons = await this.ports.deadLetters.remove(deadLetters).catch((error: unknown) => {
      const failure = awsFailureOf(error, 'DeleteMessageBatch');
      if (failure) for (const { messageId } of deadLetters) undeleted.set(messageId, failure.reason);
      throw error;
    });
    for (const deadLetter of deadLetters) {
      const reason = reasons.get(deadLetter);
      if (reason === undefined) undeleted.delete(deadLetter.messageId);
      else undeleted.set(deadLetter.messageId, reason);
    }
  }

  /**
   * Makes the remaining messages visible, and counts each of them once. If SQS refuses, they become visible when their
   * timeout ends, and the reason says so.
   */
  async showAll(): Promise<void> {
    const { counts, movedBefore } = this.ports;
    const { undeleted, unsure, failed } = movedBefore;
    const refusal = await this.refusalToShow();
    const reasons = new Map([
      ...this.reasons,
      ...[...undeleted].map(([id, reason]) => [id, undeletedText(reason)] as const),
      ...[...unsure].map(([id, reason]) => [id, unsureText(reason)] as const),
      ...failed,
    ]);
    for (const [id, reason] of reasons) counts.countRemaining(refusal ? `${reason}; ${refusal}` : reason, id);
    if (!refusal) return;
    const others = new Set(this.toShow.map(({ messageId }) => messageId).filter(id => !reasons.has(id)));
    for (const id of others) counts.countRemaining(refusal, id);
  }

  /** Makes the remaining messages visible. Returns SQS's error if it refuses. */
  private async refusalToShow(): Promise<string | undefined> {
    if (this.toShow.length === 0) return undefined;
    try {
      await this.ports.deadLetters.hide(this.toShow, 0);
      return undefined;
    } catch (error) {
      const failure = awsFailureOf(error, 'ChangeMessageVisibilityBatch');
      if (!failure) throw error;
      return `becomes visible later: ${failure.reason}`;
    }
  }
}

/**
 * Messages that are still in the dead-letter queue although they were moved, or may have been, by SQS message id. A caller that
 * passes it on to the next pass sends none of them twice, and none to a function that has failed on it.
 */
export class MovedBefore {
  /** The destination or the quarantine has them. The value says why SQS did not delete them. */
  readonly undeleted = new Map<string, string>();
  /** Messages that were sent without an answer: the destination may have them. The value says why no answer came. */
  readonly unsure = new Map<string, string>();
  /** The function was invoked with them and failed. The value says how, or why the quarantine has not taken the message. */
  readonly failed = new Map<string, string>();
}

/** Says why a moved message is still there. Completes a sentence that begins with the message. */
export function undeletedText(reason: string): string {
  return `was moved, and not deleted: ${reason}`;
}

/** Says why it is unknown whether a message was moved. Completes a sentence that begins with the message. */
export function unsureText(reason: string): string {
  return `may have been moved, and was not deleted: ${reason}`;
}
