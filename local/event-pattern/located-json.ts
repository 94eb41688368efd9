import { jsonProblem } from '../kernel/json-problem';
import type { Refusals } from './event-pattern-error';

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

/** Reads a text that is known to be JSON, and not too deep. */
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

  /** Steps over a comma, or over the bracket that closes; answers whether it was the bracket. */
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

/** @throws EventPatternError when the text is no JSON, or nested too deeply */
export function readLocated(text: string, refusals: Refusals): LocatedJson {
  const problem = jsonProblem(text);
  if (problem) throw refusals.atPlace(problem, problem.reason);
  return new Reader(text).value();
}
