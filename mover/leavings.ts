import { refusalOf } from '../lambda/redrive/refusal';
import { type Carried, undeletedText, unsureText } from './carried';
import type { DeadLetter } from './dead-letter';
import { type Guard, RESERVE_MS } from './guard';
import type { LetterBox } from './letter-box';
import type { Tally } from './tally';

/** Our choice: so many letters are hidden until the end, and given back then, and no more, unless a stint is told. */
const MOST_LEFT = 5_000;

/** What leavings take. */
export interface LeavingsPorts {
  readonly letters: LetterBox;
  readonly tally: Tally;
  readonly guard: Guard;
  readonly carried: Carried;
  readonly remainingMs: () => number;
  /** @default 5,000 */
  readonly mostLeft?: number;
}

/** What a stint leaves behind: letters that stay, and those SQS has not deleted. */
export class Leavings {
  /** To be given back in the end. */
  private readonly staying: DeadLetter[] = [];

  constructor(private readonly ports: LeavingsPorts) {}

  /** Whether somebody has the letter, and it need only be deleted. */
  isDone({ messageId }: DeadLetter): boolean {
    return this.ports.carried.undeleted.has(messageId);
  }

  /** Whether nobody knows if somebody has the letter. */
  isUnsure({ messageId }: DeadLetter): boolean {
    return this.ports.carried.unsure.has(messageId);
  }

  /** They are ours for a moment longer, and given back in the end. */
  hold(letters: readonly DeadLetter[]): void {
    this.staying.push(...letters);
  }

  /** Hides letters that stay until the stint is over. */
  async hide(letters: readonly DeadLetter[], reason: string): Promise<void> {
    const [first] = letters;
    if (!first) return;
    this.ports.tally.countLeft(reason, first.messageId, letters.length);
    await this.conceal(letters);
  }

  /** Hides what somebody may have until the stint is over. It is counted then. */
  async hideUnsure(letter: DeadLetter, reason: string): Promise<void> {
    this.ports.carried.unsure.set(letter.messageId, reason);
    await this.conceal([letter]);
  }

  /** The same, where that is known of them already. */
  async hideUnsureAgain(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length > 0) await this.conceal(letters);
  }

  private async conceal(letters: readonly DeadLetter[]): Promise<void> {
    const { tally, guard, carried, remainingMs, letters: box, mostLeft = MOST_LEFT } = this.ports;
    this.hold(letters);
    const isTooMany = tally.left + carried.unsure.size >= mostLeft;
    if (isTooMany) guard.end({ status: 'FAILED', reason: `${mostLeft} letters stay` });
    await box.hide(letters, Math.ceil(Math.max(remainingMs(), RESERVE_MS) / 1_000));
  }

  async remove(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const { undeleted } = this.ports.carried;
    for (const { messageId } of letters) undeleted.set(messageId, 'nobody said');
    const refusals = await this.ports.letters.remove(letters);
    for (const letter of letters) {
      const refusal = refusals.get(letter);
      if (refusal === undefined) undeleted.delete(letter.messageId);
      else undeleted.set(letter.messageId, refusal);
    }
  }

  /** Gives back what stays, in the end. What SQS does not take back comes back by itself, later. */
  async giveBack(): Promise<void> {
    const { tally, letters, carried } = this.ports;
    for (const [id, refusal] of carried.undeleted) tally.countLeft(undeletedText(refusal), id);
    for (const [id, reason] of carried.unsure) tally.countLeft(unsureText(reason), id);
    const [first] = this.staying;
    if (!first) return;
    try {
      await letters.hide(this.staying, 0);
    } catch (error) {
      const refusal = refusalOf(error, 'ChangeMessageVisibilityBatch');
      if (!refusal) throw error;
      tally.countLeft(`comes back later: ${refusal.reason}`, first.messageId, this.staying.length);
    }
  }
}
