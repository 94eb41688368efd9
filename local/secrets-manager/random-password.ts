import type { GetRandomPasswordRequest } from '@aws-sdk/client-secrets-manager';
import type { Random } from '../kernel/random';
import type { SecretsManagerAction } from './actions/secrets-manager-action';
import { invalidParameter } from './secret';

const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const DEFAULT_LENGTH = 32;
const LONGEST = 4096;

/**
 * Creates a password as Secrets Manager does.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html
 */
export function randomPassword(options: GetRandomPasswordRequest, random: Random): string {
  const length = options.PasswordLength ?? DEFAULT_LENGTH;
  if (!(Number.isInteger(length) && length >= 1 && length <= LONGEST)) {
    throw invalidParameter(`PasswordLength must be a whole number from 1 to ${LONGEST}, got ${length}`);
  }
  const kinds = kindsOf(options);
  const isRequired = options.RequireEachIncludedType ?? true;
  if (kinds.length === 0) throw invalidParameter('The password must have at least one character to choose from.');
  if (isRequired && length < kinds.length) {
    throw invalidParameter('Password length is too short based on the required types.');
  }
  const draw = (characters: string): string => characters.charAt(random.integer(0, characters.length - 1));
  const password = isRequired ? kinds.map(draw) : [];
  const all = kinds.join('');
  while (password.length < length) password.push(draw(all));
  return shuffled(password, random).join('');
}

/** The allowed characters of each kind that has any. */
function kindsOf(options: GetRandomPasswordRequest): readonly string[] {
  const kinds: readonly (readonly [characters: string, isIn: boolean])[] = [
    [LOWERCASE, !options.ExcludeLowercase],
    [LOWERCASE.toUpperCase(), !options.ExcludeUppercase],
    ['0123456789', !options.ExcludeNumbers],
    [PUNCTUATION, !options.ExcludePunctuation],
    [' ', options.IncludeSpace ?? false],
  ];
  const excluded = new Set(options.ExcludeCharacters ?? '');
  return kinds
    .filter(([, isIn]) => isIn)
    .map(([characters]) => [...characters].filter(character => !excluded.has(character)).join(''))
    .filter(characters => characters !== '');
}

function shuffled(characters: readonly string[], random: Random): readonly string[] {
  const left = [...characters];
  return characters.flatMap(() => left.splice(random.integer(0, left.length - 1), 1));
}

export const getRandomPassword: SecretsManagerAction<'GetRandomPassword'> = {
  run: ({ context }, { input }) => ({ RandomPassword: randomPassword(input, context.random) }),
};
