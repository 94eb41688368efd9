/** An event pattern EventBridge does not take; `message` is the reason in the words of AWS's own matcher. */
export class EventPatternError extends Error {
  override readonly name = 'EventPatternError';
}

const SHOWN_CHARACTERS = 500;

/** A place in a text, as the parser behind AWS's matcher counts: from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Makes the errors for what is wrong in a pattern's text. */
export class Refusals {
  constructor(private readonly text: string) {}

  atPlace(place: Place, reason: string): EventPatternError {
    return new EventPatternError(reason + this.ending(place));
  }

  /** @param index how far the text had been read */
  at(index: number, reason: string): EventPatternError {
    return this.atPlace(this.placeOf(index), reason);
  }

  /** AWS's matcher wraps what it finds inside a list once more, and so tells the place twice. */
  insideList(index: number, reason: string): EventPatternError {
    const place = this.placeOf(index);
    return this.atPlace(place, reason + this.ending(place));
  }

  private placeOf(index: number): Place {
    const before = this.text.slice(0, index);
    return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
  }

  private ending({ line, column }: Place): string {
    const more = this.text.length - SHOWN_CHARACTERS;
    const source = `"${this.text.slice(0, SHOWN_CHARACTERS)}"${more > 0 ? `[truncated ${more} chars]` : ''}`;
    return `\n at [Source: (String)${source}; line: ${line}, column: ${column}]`;
  }
}
