/** AWS's numbers have 20 digits, grow within a message group, and leave gaps. */
const FIRST_DIGITS = '1889';
const GAP = 256;

/** The sequence numbers of one FIFO queue. Our choice: they grow across its groups too. */
export class SequenceNumbers {
  private count = 0;

  next(): string {
    this.count += 1;
    return FIRST_DIGITS + String(this.count * GAP).padStart(20 - FIRST_DIGITS.length, '0');
  }
}
