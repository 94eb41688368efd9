/** Invalid input of the user. Each message is a line of its own. */
export class BadInput extends Error {
  constructor(readonly messages: readonly string[]) {
    super(messages.join('\n'));
    this.name = 'BadInput';
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
