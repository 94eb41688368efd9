import { AwsError } from './aws-error';

/** The error of most services for a request that violates their API models. */
export function validationException(text: string): AwsError {
  return new AwsError('ValidationException', text);
}

/** Collects the problems of a request's members, in AWS's words for violations of its API models. */
export class Constraints {
  private readonly problems: string[] = [];

  /** @param refuse makes the service's error from the text that lists all problems */
  constructor(private readonly refuse: (text: string) => AwsError = validationException) {}

  /** @param member as AWS spells it in these errors, starting in lower case: `targets.1.member.id` */
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

  /** @param pattern as AWS writes it; it must match the whole value */
  pattern(member: string, value: string | undefined, pattern: string): this {
    // Some of AWS's patterns have needless escapes, which a pattern with the `u` flag may not have.
    const flags = pattern.includes('\\p{') ? 'u' : '';
    if (value !== undefined && !new RegExp(`^(?:${pattern})$`, flags).test(value)) {
      this.breach(member, value, `Member must satisfy regular expression pattern: ${pattern}`);
    }
    return this;
  }

  /** Checks the length of a secret value, which the error does not show. */
  hiddenLength(member: string, length: number, min: number, max: number): this {
    if (length < min) this.note('', member, `Member must have length greater than or equal to ${min}`);
    if (length > max) this.note('', member, `Member must have length less than or equal to ${max}`);
    return this;
  }

  /** Records any other problem. @param rule for example `Member must not be null` */
  breach(member: string, value: unknown, rule: string): this {
    return this.note(`${shown(value)} `, member, rule);
  }

  check(): void {
    if (this.problems.length > 0) throw this.error();
  }

  error(): AwsError {
    const { length } = this.problems;
    return this.refuse(`${length} validation error${length === 1 ? '' : 's'} detected: ${this.problems.join('; ')}`);
  }

  private note(value: string, member: string, rule: string): this {
    this.problems.push(`Value ${value}at '${member}' failed to satisfy constraint: ${rule}`);
    return this;
  }
}

/**
 * Characters shown of a value. **Assumption AWS-1:** AWS shows values whole: observed with eleven entries of PutEvents,
 * 2,300 characters.
 */
const MOST_SHOWN = 4096;

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const text = Array.isArray(value) ? `[${value.slice(0, MOST_SHOWN).map(shownItem).join(', ')}]` : shownItem(value);
  return `'${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}'`;
}

/** **Assumption AWS-2:** Shows structures as JSON. AWS's form, that of Java's `toString`, is not documented. */
function shownItem(value: unknown): string {
  return typeof value === 'object' ? brief(value, MOST_SHOWN) : String(value);
}

/** Yields a document's JSON in pieces, so that the reader can stop early, however large or deep the document is. */
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

/** The beginning of a value's JSON: enough to recognize a value of any size and depth. */
export function brief(value: unknown, mostCharacters: number): string {
  let text = '';
  for (const piece of pieces(value, mostCharacters)) {
    text += piece;
    if (text.length > mostCharacters) return `${text.slice(0, mostCharacters)}…`;
  }
  return text;
}
