import { invalidValue } from './errors';

/** Letters, digits and the punctuation of ASCII. */
const TOKEN = /^[!-~]{1,128}$/;

/**
 * Message group ids, deduplication ids and the ids of receive attempts.
 *
 * @throws AwsError in the recorded words
 */
export function checkToken(value: string, parameter: string): void {
  if (TOKEN.test(value)) return;
  const rule = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  throw invalidValue(value, parameter, rule);
}
