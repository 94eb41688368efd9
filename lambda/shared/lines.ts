/** Calls back once the event loop has taken its turn. */
export type AfterThisTurn = (then: () => void) => void;

/**
 * Lines of a log, of which those that come within one turn of the event loop are one write: each is a call of the system,
 * and a batch's answers come together. Lambda makes an event of each line all the same.
 */
export class LineBuffer {
  private text = '';

  /** @param write must have written before it returns */
  constructor(
    private readonly write: (text: string) => void,
    private readonly soon: AfterThisTurn,
  ) {}

  add(line: string): void {
    if (this.text === '') this.soon(() => this.flush());
    this.text += `${line}\n`;
  }

  /** Writes what waits. Nothing may: an environment is frozen, or at its end. */
  flush(): void {
    if (this.text === '') return;
    const { text } = this;
    this.text = '';
    this.write(text);
  }
}
