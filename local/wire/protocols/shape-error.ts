import { brief } from '../../kernel/brief';

const SHOWN_CHARACTERS = 60;

/** What arrived does not have the shape the action asks for. The protocol says so in its own form. */
export class ShapeError extends Error {
  private path = '';

  constructor(
    private readonly rule: string,
    private readonly value: unknown,
  ) {
    super();
  }

  /** The same, seen from the structure, list or map that holds the member it is about. */
  within(member: string | number): this {
    this.path = this.path === '' ? String(member) : `${member}.${this.path}`;
    return this;
  }

  override get message(): string {
    return `${this.path === '' ? 'The request' : this.path} ${this.rule}, got ${brief(this.value, SHOWN_CHARACTERS)}`;
  }
}

/** Tells a `ShapeError` where it was; anything else goes on as it is. */
export function inMember(member: string | number, error: unknown): unknown {
  return error instanceof ShapeError ? error.within(member) : error;
}
