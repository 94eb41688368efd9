const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const HEX = 16;
const HEX_DIGITS = 8;

/**
 * Eight characters that tell a text from others.
 * @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv-17.html FNV-1a, with 32 bits
 */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
  }
  return hash.toString(HEX).padStart(HEX_DIGITS, '0');
}

/**
 * A name of a length AWS takes, which differs wherever what it is for differs: beginning and end may be those of others.
 *
 * @param of what tells it from others, such as an ARN
 */
export function distinctName(text: string, of: string, mostCharacters: number): string {
  const end = `-${fingerprint(of)}`;
  return `${text.slice(0, mostCharacters - end.length)}${end}`;
}
