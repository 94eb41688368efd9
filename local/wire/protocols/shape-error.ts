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
    return `${this.path === '' ? 'The request' : this.path} ${this.rule}, got ${shown(this.value)}`;
  }
}

/** Tells a `ShapeError` where it was; anything else goes on as it is. */
export function inMember(member: string | number, error: unknown): unknown {
  return error instanceof ShapeError ? error.within(member) : error;
}

/** A value cut short: enough to recognise it by. */
function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
