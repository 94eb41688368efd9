import { plainText } from './plain-text';

/** So many characters of a secret in a row are no chance, and most of many a secret. Our choice. */
const MIN_PART_CHARACTERS = 12;

/** Bytes as base64 has them in the middle of something, which is one of three things, without what the bytes beside them decide. */
function withinBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap(before => {
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]);
    return (['base64', 'base64url'] as const).map(alphabet => encoded.toString(alphabet).slice(first, end));
  });
}

function substringsOf(text: string): readonly string[] {
  const starts = Array.from({ length: Math.max(0, text.length - MIN_PART_CHARACTERS + 1) }, (_, start) => start);
  return starts.map(start => text.slice(start, start + MIN_PART_CHARACTERS));
}

/** A part of a text, by its first character and the one behind its last. */
export type TextRange = readonly [start: number, end: number];

/**
 * Finds whatever texts share twelve characters or more in a row with a secret: a part of it, as of one that was cut; escaped
 * as JSON, HTML and URLs escape; in upper case or lower; in base64, alone or amid something else.
 */
export function findSecretParts(secrets: readonly string[]): (text: string) => readonly TextRange[] {
  const spelled = secrets.flatMap(secret => [secret, ...withinBase64(secret)]);
  const runs = new Set(spelled.flatMap(secret => substringsOf(plainText(secret).text)));
  return text => {
    const { text: plain, starts } = plainText(text);
    return substringsOf(plain).flatMap((run, index): TextRange[] =>
      runs.has(run) ? [[starts[index] ?? 0, starts[index + MIN_PART_CHARACTERS] ?? text.length]] : [],
    );
  };
}
