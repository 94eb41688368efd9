import { invalidParameter } from '../errors';
import type { Token } from './tokens';

/** Decides about a log event that has been read. */
export type Condition<Subject> = (subject: Subject) => boolean;

/** Reads conditions joined by `&&`, `||` and parentheses; what one condition is, its subclass knows. */
export abstract class ConditionReader<Subject> {
  private next = 0;

  constructor(
    /** The whole pattern, for the error. */
    private readonly pattern: string,
    private readonly tokens: readonly Token[],
  ) {}

  /** @throws AwsError when the tokens are no condition */
  whole(): Condition<Subject> {
    const condition = this.alternatives();
    if (this.next < this.tokens.length) throw this.malformed();
    return condition;
  }

  protected abstract single(): Condition<Subject>;

  protected takes(text: string): boolean {
    const token = this.tokens[this.next];
    if (token?.text !== text || token.kind === 'string' || token.kind === 'regex') return false;
    this.next += 1;
    return true;
  }

  protected take(isWanted: (token: Token) => boolean): Token {
    const token = this.tokens[this.next];
    if (!token || !isWanted(token)) throw this.malformed();
    this.next += 1;
    return token;
  }

  protected malformed(): Error {
    return invalidParameter(`Invalid metric filter pattern: ${this.pattern}`);
  }

  private alternatives(): Condition<Subject> {
    const conditions = [this.conjunction()];
    while (this.takes('||')) conditions.push(this.conjunction());
    return subject => conditions.some(holds => holds(subject));
  }

  private conjunction(): Condition<Subject> {
    const conditions = [this.bracketed()];
    while (this.takes('&&')) conditions.push(this.bracketed());
    return subject => conditions.every(holds => holds(subject));
  }

  private bracketed(): Condition<Subject> {
    if (!this.takes('(')) return this.single();
    const condition = this.alternatives();
    if (!this.takes(')')) throw this.malformed();
    return condition;
  }
}
