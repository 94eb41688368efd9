/** One field of an event of words, and where it begins. */
export interface FieldText {
  /** Without the quotes or brackets around it. */
  readonly text: string;
  readonly from: number;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '[': ']' };
const BLANK = /\s/;

/** Splits an event at its spaces; what stands between quotes or brackets is one field. One look at each character does. */
export function splitFields(message: string): readonly FieldText[] {
  const fields: FieldText[] = [];
  const neverClosed = new Set<string>();
  let index = 0;
  while (index < message.length) {
    const character = message.charAt(index);
    if (BLANK.test(character)) {
      index += 1;
      continue;
    }
    const closing = neverClosed.has(character) ? undefined : CLOSING[character];
    const end = closing === undefined ? -1 : message.indexOf(closing, index + 1);
    if (closing !== undefined && end === -1) neverClosed.add(character);
    const to = end === -1 ? endOfWord(message, index) : end;
    fields.push({ text: message.slice(end === -1 ? index : index + 1, to), from: index });
    index = end === -1 ? to : to + 1;
  }
  return fields;
}

function endOfWord(message: string, from: number): number {
  let to = from;
  while (to < message.length && !BLANK.test(message.charAt(to))) to += 1;
  return to;
}
