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
