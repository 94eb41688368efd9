import { BadInput } from '../../account/errors';
import { isObject, type JsonObject } from '../../policy/json-members';

function wrong(name: string, rule: string, value: unknown): BadInput {
  return new BadInput([`${name} ${rule}, got ${JSON.stringify(value) ?? 'nothing'}`]);
}

/** Reads the members of a call's input. Each throws BadInput with the member, the rule and the value. */
export const member = {
  text(input: JsonObject, name: string): string {
    const value = input[name];
    if (typeof value === 'string') return value;
    throw wrong(name, 'must be a text', value);
  },

  optionalText(input: JsonObject, name: string): string | undefined {
    return input[name] === undefined ? undefined : member.text(input, name);
  },

  number(input: JsonObject, name: string): number {
    const value = input[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw wrong(name, 'must be a number', value);
  },

  optionalNumber(input: JsonObject, name: string): number | undefined {
    return input[name] === undefined ? undefined : member.number(input, name);
  },

  flag(input: JsonObject, name: string): boolean {
    const value = input[name];
    if (typeof value === 'boolean') return value;
    throw wrong(name, 'must be true or false', value);
  },

  optionalTexts(input: JsonObject, name: string): Readonly<Record<string, string>> | undefined {
    const value = input[name];
    if (value === undefined) return undefined;
    if (isObject(value) && Object.values(value).every(it => typeof it === 'string')) {
      return value as Readonly<Record<string, string>>;
    }
    throw wrong(name, 'must be an object of texts', value);
  },

  oneOf<T extends string>(input: JsonObject, name: string, choices: readonly T[]): T {
    const value = choices.find(it => it === input[name]);
    if (value !== undefined) return value;
    throw wrong(name, `must be one of ${choices.join(', ')}`, input[name]);
  },
};
