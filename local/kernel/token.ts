const TOKEN = /^[!-~]{1,128}$/;
const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** Whether a text can be a message group id, a deduplication id or the like: letters, digits and punctuation of ASCII. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Whether a text can be the id of an entry of a batch, or the label of a permission. */
export function isEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}
