/** What SNS takes for a mail address. @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** A phone number as a subscription takes it: E.164, with or without the plus sign and what people write between digits. */
export const PHONE_NUMBER = /^\+?[0-9][0-9 ()./-]{4,}$/;

/** @see https://www.itu.int/rec/T-REC-E.164 */
const E164 = /^\+?[1-9]\d{1,14}$/;

/** Whether a text is a phone number in the form E.164, of which SNS does not miss the plus sign. */
export function isE164(text: string): boolean {
  return E164.test(text);
}

/** `+15550100` for `+1 (555) 0100`: under which a phone is known, however it was written. */
export function phoneKey(phoneNumber: string): string {
  return `+${phoneNumber.replace(/\D/g, '')}`;
}

/**
 * Visible characters of Latin-1, blanks and tabs: what node's client takes.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a text can be the value of a header of HTTP. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}
