/** How a command ends: done, could not, or bad input. */
export const EXIT = { done: 0, couldNot: 1, badInput: 2 } as const;

/** What a user gave cannot be worked with: the command says so in one line a message, and ends with 2. */
export class BadInput extends Error {
  constructor(readonly messages: readonly string[]) {
    super(messages.join('\n'));
    this.name = 'BadInput';
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
