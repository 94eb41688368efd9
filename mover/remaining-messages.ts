import { awsFailureOf } from './aws-calls';
import type { DeadLetter, DeadLetterReceiver } from './dead-letter-receiver';
import { type PassCounts, type PassGuard, RESERVE_MS } from './pass-progress';

/** Our choice: so many letters are hidden until the end, and given back then, and no more, unless a stint is told. */
const MAX_REMAINING = 5_000;

/** What leavings take. */
export interface RemainingDeadLettersPorts {
  readonly deadLetters: DeadLetterReceiver;
  readonly tally: PassCounts;
  readonly guard: PassGuard;
  readonly carried: MovedBefore;
  readonly remainingMs: () => number;
  /** @default 5,000 */
  readonly mostLeft?: number;
}

/** What a stint leaves behind: letters that stay, and those SQS has not deleted. */
export class RemainingDeadLetters {
  /** To be given back in the end. */
  private readonly staying: DeadLetter[] = [];

  constructor(private readonly ports: RemainingDeadLettersPorts) {}

  /** Whether somebody has the letter, and it need only be deleted. */
  isDone({ messageId }: DeadLetter): boolean {
    return this.ports.carried.undeleted.has(messageId);
  }

  /** Whether nobody knows if somebody has the letter. */
  isUnsure({ messageId }: DeadLetter): boolean {
    return this.ports.carried.unsure.has(messageId);
  }

  /** They are ours for a moment longer, and given back in the end. */
  hold(deadLetters: readonly DeadLetter[]): void {
    this.staying.push(...deadLetters);
  }

  /** Hides letters that stay until the stint is over. */
  async hide(deadLetters: readonly DeadLetter[], reason: string): Promise<void> {
    const [first] = deadLetters;
    if (!first) return;
    this.ports.tally.countLeft(reason, first.messageId, deadLetters.length);
    await this.conceal(deadLetters);
  }

  /** Hides what somebody may have until the stint is over. It is counted then. */
  async hideUnsure(deadLetter: DeadLetter, reason: string): Promise<void> {
    this.ports.carried.unsure.set(deadLetter.messageId, reason);
    await this.conceal([deadLetter]);
  }

  /** The same, where that is known of them already. */
  async hideUnsureAgain(deadLetters: readonly DeadLetter[]): Promise<void> {
    if (deadLetters.length > 0) await this.conceal(deadLetters);
  }

  private async conceal(deadLetters: readonly DeadLetter[]): Promise<void> {
    const { tally, guard, carried, remainingMs, deadLetters: box, mostLeft = MAX_REMAINING } = this.ports;
    this.hold(deadLetters);
    const isTooMany = tally.left + carried.unsure.size >= mostLeft;
    if (isTooMany) guard.end({ status: 'FAILED', reason: `${mostLeft} letters stay` });
    await box.hide(deadLetters, Math.ceil(Math.max(remainingMs(), RESERVE_MS) / 1_000));
  }

  async remove(deadLetters: readonly DeadLetter[]): Promise<void> {
    if (deadLetters.length === 0) return;
    const { undeleted } = this.ports.carried;
    for (const { messageId } of deadLetters) undeleted.set(messageId, 'nobody said');
    const refusals = await this.ports.deadLetters.remove(deadLetters);
    for (const deadLetter of deadLetters) {
      const refusal = refusals.get(deadLetter);
      if (refusal === undefined) undeleted.delete(deadLetter.messageId);
      else undeleted.set(deadLetter.messageId, refusal);
    }
  }

  /** Gives back what stays, in the end. What SQS does not take back comes back by itself, later. */
  async giveBack(): Promise<void> {
    const { tally, deadLetters, carried } = this.ports;
    for (const [id, refusal] of carried.undeleted) tally.countLeft(undeletedText(refusal), id);
    for (const [id, reason] of carried.unsure) tally.countLeft(unsureText(reason), id);
    const [first] = this.staying;
    if (!first) return;
    try {
      await deadLetters.hide(this.staying, 0);
    } catch (error) {
      const refusal = awsFailureOf(error, 'ChangeMessageVisibilityBatch');
      if (!refusal) throw error;
      tally.countLeft(`comes back later: ${refusal.reason}`, first.messageId, this.staying.length);
    }
  }
}

/**
 * Letters that lie among the dead ones although the destination has them, or may have: by their SQS ids. Who keeps it from one
 * stint to the next sends none of them twice.
 */
export class MovedBefore {
  /** The destination, or the quarantine, has them: why SQS did not delete them. */
  readonly undeleted = new Map<string, string>();
  /** The destination may have them: what came in place of an answer. */
  readonly unsure = new Map<string, string>();
}

/** What is said of a letter that is there still although it was moved. It completes a sentence that begins with the letter. */
export function undeletedText(reason: string): string {
  return `was moved, and not deleted: ${reason}`;
}

/** What is said of a letter that was sent, and nobody has answered. */
export function unsureText(reason: string): string {
  return `may have been moved, and was not deleted: ${reason}`;
}
