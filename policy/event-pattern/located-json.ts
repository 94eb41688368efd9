import { jsonProblem } from '../json-text';

interface InText {
  /**
   * How far the parser behind AWS's texts has read when it meets the value: past a bracket or an opening quote, and to
   * the end of anything else.
   */
  readonly metAt: number;
  /** Just past the value. */
  readonly endAt: number;
}

export interface LocatedObject extends InText {
  readonly kind: 'object';
  readonly members: readonly { readonly name: string; readonly value: LocatedJson }[];
}

export interface LocatedArray extends InText {
  readonly kind: 'array';
  readonly items: readonly LocatedJson[];
}

export type LocatedScalar = InText &
  (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'literal'; readonly value: boolean | null }
  );

/** A JSON value that remembers where in the text it stood. */
export type LocatedJson = LocatedObject | LocatedArray | LocatedScalar;

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const OTHER_SCALAR = /[^\s,\]}]+/y;

/** Reads a text that is valid JSON and not nested too deeply. */
class Reader {
  private index = 0;

  constructor(private readonly text: string) {}

  value(): LocatedJson {
    this.take(SPACE);
    const character = this.text[this.index];
    if (character === '{') return this.object();
    if (character === '[') return this.array();
    return character === '"' ? this.string() : this.otherScalar();
  }

  private object(): LocatedObject {
    const members: { name: string; value: LocatedJson }[] = [];
    const metAt = ++this.index;
    while (!this.closes('}')) {
      const name = this.string().value;
      this.take(SPACE);
      this.index += 1;
      members.push({ name, value: this.value() });
    }
    return { kind: 'object', members, metAt, endAt: this.index };
  }

  private array(): LocatedArray {
    const items: LocatedJson[] = [];
    const metAt = ++this.index;
    while (!this.closes(']')) items.push(this.value());
    return { kind: 'array', items, metAt, endAt: this.index };
  }

  private string(): LocatedScalar & { readonly kind: 'string' } {
    const metAt = this.index + 1;
    return { kind: 'string', value: String(JSON.parse(this.take(STRING))), metAt, endAt: this.index };
  }

  private otherScalar(): LocatedScalar {
    const value: unknown = JSON.parse(this.take(OTHER_SCALAR));
    const place = { metAt: this.index, endAt: this.index };
    if (typeof value === 'number') return { kind: 'number', value, ...place };
    return { kind: 'literal', value: typeof value === 'boolean' ? value : null, ...place };
  }

  /** Skips a comma or the closing bracket. Returns whether it was the bracket. */
  private closes(bracket: string): boolean {
    this.take(SPACE);
    const character = this.text[this.index];
    if (character !== bracket && character !== ',') return false;
    this.index += 1;
    if (character === ',') this.take(SPACE);
    return character === bracket;
  }

  private take(token: RegExp): string {
    const from = this.index;
    token.lastIndex = from;
    if (token.test(this.text)) this.index = token.lastIndex;
    return this.text.slice(from, this.index);
  }
}

export function readLocated(text: string, refusals: Refusals): LocatedJson {
  const problem = jsonProblem(text);
  if (problem) throw refusals.atPlace(problem, problem.reason);
  return new Reader(text).value();
}

/** An invalid event pattern. `message` is the reason in the words of AWS's matcher. */
export class EventPatternError extends Error {
  override readonly name = 'EventPatternError';
}

const SHOWN_CHARACTERS = 500;

/** A position in a text, counted from 1 as the parser of AWS does. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Makes the errors for problems in the text of a pattern. */
export class Refusals {
  constructor(private readonly text: string) {}

  atPlace(place: Place, reason: string): EventPatternError {
    return new EventPatternError(reason + this.ending(place));
  }

  /** @param index how far the parser has read */
  at(index: number, reason: string): EventPatternError {
    return this.atPlace(this.placeOf(index), reason);
  }

  /** AWS's matcher wraps an error inside a list twice, so the text names the position twice. */
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
