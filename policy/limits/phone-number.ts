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
