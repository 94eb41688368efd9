import type { Refuse } from '../errors';

/**
 * Reads an attribute that is true or false, in any letter case.
 * @throws AwsError made by `refuse`
 */
export function readBoolean(name: string, text: string, refuse: Refuse): boolean {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw refuse(`${name}: Invalid value [${text}]. Must be true or false.`);
  return lower === 'true';
}
