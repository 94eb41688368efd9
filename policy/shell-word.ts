/** What a shell takes for one word, whatever stands beside it. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A text as somebody types it into a shell of POSIX, so that it arrives as it is. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
