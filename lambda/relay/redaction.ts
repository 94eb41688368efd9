/** Shorter ones would blacken half of every answer, and guard nothing. Our choice. */
const LEAST_SECRET_CHARACTERS = 6;

const BLACKENED = '[secret]';

/** What a text may hold a secret as: itself, within JSON, within a URL, and its words, as of `Bearer …`. */
function spellings(secret: string): readonly string[] {
  const words = [secret, ...secret.split(/[\s/?&=#,;]+/)];
  return words.flatMap(word => [
    word,
    JSON.stringify(word).slice(1, -1),
    encodeURIComponent(Buffer.from(word).toString()),
  ]);
}

/** Takes secrets out of texts that come from elsewhere: an endpoint may well answer with what it was sent. */
export function redaction(secrets: readonly string[]): (text: string) => string {
  const all = secrets.flatMap(spellings).filter(({ length }) => length >= LEAST_SECRET_CHARACTERS);
  const longestFirst = [...new Set(all)].sort((one, other) => other.length - one.length);
  return text => longestFirst.reduce((left, secret) => left.replaceAll(secret, BLACKENED), text);
}
