/** FNV-1a, 32 bits: enough to spread host names over addresses. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/**
 * What a host name resolves to in the embedded AWS: always the same public address, so that code which refuses private
 * ones lets it pass. Nothing is ever sent to it.
 */
export function addressesOf(hostName: string): readonly string[] {
  const name = hostName.toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1'];
  const value = hash(name);
  return [`52.${(value >>> 16) & 0xff}.${(value >>> 8) & 0xff}.${value & 0xff || 1}`];
}
