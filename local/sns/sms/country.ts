import type * as PhoneNumbers from 'libphonenumber-js/min';
import { phoneKey } from '../../../policy/limits/phone-number';

/** Required when the first number is looked at: its tables take longer to load than most runs take. */
function library(): typeof PhoneNumbers {
  return require('libphonenumber-js/min');
}

const countries = new Map<string, string | undefined>();

/**
 * The country of a phone, as ISO 3166-1 alpha-2 has it; undefined for a number that is given to nobody, such as those kept
 * for fiction.
 */
export function countryOf(phoneNumber: string): string | undefined {
  const key = phoneKey(phoneNumber);
  if (!countries.has(key)) countries.set(key, library().parsePhoneNumberFromString(key)?.country);
  return countries.get(key);
}
