import { isDenied } from '../../../account/connection/call-failure';
import { isNotFound } from '../../../lambda/redrive/refusal';
import { messageOf } from '../../errors';

/** What could be read, or why it could not. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'denied' | 'not-there' };

/** Reads what others can be told without, and remembers what was denied. */
export class Gaps {
  private readonly reported = new Set<string>();

  /** What was denied, and what to grant, and what was left out, in sentences. */
  get texts(): readonly string[] {
    return [...this.reported];
  }

  /** Something was left out. */
  note(text: string): void {
    this.reported.add(text);
  }

  /** @throws whatever is neither a denial nor an answer that there is no such thing */
  async read<T>(call: () => Promise<T>): Promise<Read<T>> {
    try {
      return { kind: 'read', value: await call() };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'not-there' };
      if (!isDenied(error)) throw error;
      this.note(messageOf(error));
      return { kind: 'denied' };
    }
  }
}
