/** Texts that SNS accepts as an email address. @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+$/;

/**
 * Texts that a subscription accepts as a phone number: E.164, with or without the plus sign and with usual separators.
 * Two marks in a row, and a mark at the end, were refused when that was recorded on AWS.
 */
export const PHONE_NUMBER = /^(?!.*[./-]{2})\+?[0-9][0-9 ()./-]{3,}[0-9)]$/;

/** @see https://www.itu.int/rec/T-REC-E.164 */
const E164 = /^\+?[1-9]\d{1,14}$/;

/** Whether a text is an E.164 phone number. SNS does not require the plus sign. */
export function isE164(text: string): boolean {
  return E164.test(text);
}

/** Normalizes a phone number: `+15550100` for `+1 (555) 0100`. */
export function phoneKey(phoneNumber: string): string {
  return `+${phoneNumber.replace(/\D/g, '')}`;
}
