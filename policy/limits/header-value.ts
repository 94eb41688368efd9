/**
 * Visible characters of Latin-1, blanks and tabs: what node's client takes.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a text can be the value of a header of HTTP. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}
