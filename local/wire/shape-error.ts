/** What arrived does not have the shape the action asks for. The protocol says so in its own form. */
export class ShapeError extends Error {
  constructor(path: string, rule: string, value: unknown) {
    super(`${path === '' ? 'The request' : path} ${rule}, got ${shown(value)}`);
  }
}

export function memberPath(path: string, member: string | number): string {
  return path === '' ? String(member) : `${path}.${member}`;
}

/** A value cut short: enough to recognise it by. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
