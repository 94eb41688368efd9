/** The longest beginning of a text that has at most so many bytes in UTF-8; a character is never cut in two. */
export function firstBytes(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= mostBytes) return text;
  let end = mostBytes;
  // Bytes of the form 10xxxxxx carry on a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
