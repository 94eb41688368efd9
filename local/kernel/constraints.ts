import type { AwsError } from './aws-error';

/** Collects what is wrong with the members of a request, in the words AWS has for whatever its API models forbid. */
export class Constraints {
  private readonly problems: string[] = [];

  /** @param refuse makes the service's error of the text that tells everything at once */
  constructor(private readonly refuse: (text: string) => AwsError) {}

  /** @param member as AWS spells it there, with a small first letter: `targets.1.member.id` */
  notNull(member: string, value: unknown): this {
    if (value === undefined || value === null) this.breach(member, null, 'Member must not be null');
    return this;
  }

  length(member: string, value: string | readonly unknown[] | undefined, min: number, max: number): this {
    if (value === undefined) return this;
    if (value.length < min) this.breach(member, value, `Member must have length greater than or equal to ${min}`);
    if (value.length > max) this.breach(member, value, `Member must have length less than or equal to ${max}`);
    return this;
  }

  range(member: string, value: number | undefined, min: number, max = Number.POSITIVE_INFINITY): this {
    if (value === undefined) return this;
    if (!(value >= min)) this.breach(member, value, `Member must have value greater than or equal to ${min}`);
    if (value > max) this.breach(member, value, `Member must have value less than or equal to ${max}`);
    return this;
  }

  oneOf(member: string, value: string | undefined, allowed: readonly string[]): this {
    if (value !== undefined && !allowed.includes(value)) {
      this.breach(member, value, `Member must satisfy enum value set: [${allowed.join(', ')}]`);
    }
    return this;
  }

  /** @param pattern as AWS writes it; the whole value has to match */
  pattern(member: string, value: string | undefined, pattern: string): this {
    // Some of AWS's patterns escape what needs no escape, which only a pattern without the flag may.
    const flags = pattern.includes('\\p{') ? 'u' : '';
    if (value !== undefined && !new RegExp(`^(?:${pattern})$`, flags).test(value)) {
      this.breach(member, value, `Member must satisfy regular expression pattern: ${pattern}`);
    }
    return this;
  }

  /** The length of a value that is not told, since it is secret. */
  hiddenLength(member: string, length: number, min: number, max: number): this {
    if (length < min) this.note('', member, `Member must have length greater than or equal to ${min}`);
    if (length > max) this.note('', member, `Member must have length less than or equal to ${max}`);
    return this;
  }

  /** Notes a problem of any other kind. @param rule for example `Member must not be null` */
  breach(member: string, value: unknown, rule: string): this {
    return this.note(`${shown(value)} `, member, rule);
  }

  /** @throws AwsError with everything that is wrong */
  check(): void {
    if (this.problems.length > 0) throw this.error();
  }

  /** The service's error that tells everything that is wrong. */
  error(): AwsError {
    const { length } = this.problems;
    return this.refuse(`${length} validation error${length === 1 ? '' : 's'} detected: ${this.problems.join('; ')}`);
  }

  private note(value: string, member: string, rule: string): this {
    this.problems.push(`Value ${value}at '${member}' failed to satisfy constraint: ${rule}`);
    return this;
  }
}

/** Characters. Our choice: AWS shows values whole, on record with eleven entries of PutEvents in 2,300 of them. */
const MOST_SHOWN = 4096;

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const text = Array.isArray(value) ? `[${value.slice(0, MOST_SHOWN).map(shownItem).join(', ')}]` : shownItem(value);
  return `'${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}'`;
}

/** Our choice: JSON, where AWS shows structures as Java does. */
function shownItem(value: unknown): string {
  return typeof value === 'object' ? brief(value, MOST_SHOWN) : String(value);
}

/** A document, piece by piece: whoever has seen enough of it stops, however large or deep the rest is. */
function* pieces(value: unknown, mostCharacters: number): Generator<string> {
  if (typeof value === 'string') yield JSON.stringify(value.slice(0, mostCharacters));
  else if (typeof value !== 'object' || value === null) yield String(value);
  else if (value instanceof Date) yield JSON.stringify(value);
  else if (ArrayBuffer.isView(value)) yield `${value.byteLength} bytes`;
  else if (Array.isArray(value)) yield* listPieces(value, mostCharacters);
  else yield* structurePieces(value, mostCharacters);
}

function* listPieces(list: readonly unknown[], mostCharacters: number): Generator<string> {
  yield '[';
  for (const [i, item] of list.entries()) {
    if (i > 0) yield ',';
    yield* pieces(item, mostCharacters);
  }
  yield ']';
}

function* structurePieces(structure: object, mostCharacters: number): Generator<string> {
  yield '{';
  for (const [i, [name, member]] of Object.entries(structure).entries()) {
    yield `${i > 0 ? ',' : ''}${JSON.stringify(name.slice(0, mostCharacters))}:`;
    yield* pieces(member, mostCharacters);
  }
  yield '}';
}

/** The beginning of a value as JSON writes it: enough to recognise it by, however large or deeply nested the value is. */
export function brief(value: unknown, mostCharacters: number): string {
  let text = '';
  for (const piece of pieces(value, mostCharacters)) {
    text += piece;
    if (text.length > mostCharacters) return `${text.slice(0, mostCharacters)}…`;
  }
  return text;
}
