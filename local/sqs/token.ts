import { isToken } from '../kernel/token';
import { invalidValue } from './errors';

/**
 * Message group ids, deduplication ids and the ids of receive attempts.
 *
 * @throws AwsError in the recorded words
 */
export function checkToken(value: string, parameter: string): void {
  if (isToken(value)) return;
  const rule = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  throw invalidValue(value, parameter, rule);
}
