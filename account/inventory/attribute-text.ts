import { isObject } from '../../policy/members';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/told';

/** What a text is the JSON of. Where there is no text, undefined. */
export function jsonOf(text: string | undefined): MaybeKnown<unknown> {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unknownBecause: 'is not JSON' };
  }
}

/** The policy a text is. Where there is no text, undefined. */
export function policyOf(text: string | undefined): MaybeKnown<PolicyDocument | undefined> {
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  return isObject(value) && 'Statement' in value
    ? { ...value, Statement: value['Statement'] }
    : { unknownBecause: 'is not a policy' };
}

/** Undefined for a text that says nothing. */
export function unlessEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
