import { GetRandomPasswordCommand } from '@aws-sdk/client-secrets-manager';
import fc from 'fast-check';
import { Random } from '../../../local/kernel/random';
import { randomPassword } from '../../../local/secrets-manager/random-password';
import { SmallAccount } from '../small-account';

/** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html */
describe('a random password', () => {
  it('has 32 characters with one of each kind, unless told otherwise', async () => {
    const { secrets } = new SmallAccount().clients;
    const { RandomPassword = '' } = await secrets.send(new GetRandomPasswordCommand({}));
    expect(RandomPassword).toHaveLength(32);
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[!-/:-@[-`{-~]/]) expect(RandomPassword).toMatch(kind);
    expect(RandomPassword).not.toContain(' ');
  });

  it('has exactly the kinds that are left, each of them, and nothing that is excluded', () => {
    const options = fc.record({
      PasswordLength: fc.integer({ min: 5, max: 60 }),
      ExcludeLowercase: fc.boolean(),
      ExcludeUppercase: fc.boolean(),
      ExcludePunctuation: fc.boolean(),
      IncludeSpace: fc.boolean(),
      ExcludeCharacters: fc.constantFrom('', 'aA1!', '"@/\\'),
    });
    fc.assert(
      fc.property(options, fc.integer(), (wanted, seed) => {
        const password = randomPassword(wanted, new Random(seed));
        expect(password).toHaveLength(wanted.PasswordLength);
        expect(/[a-z]/.test(password)).toBe(!wanted.ExcludeLowercase);
        expect(/[A-Z]/.test(password)).toBe(!wanted.ExcludeUppercase);
        expect(/[!-/:-@[-`{-~]/.test(password)).toBe(!wanted.ExcludePunctuation);
        expect(/ /.test(password)).toBe(wanted.IncludeSpace);
        expect(/\d/.test(password)).toBe(true);
        for (const character of wanted.ExcludeCharacters) expect(password).not.toContain(character);
      }),
    );
  });

  it.each([
    [{ PasswordLength: 0 }, 'PasswordLength must be a whole number from 1 to 4096, got 0'],
    [{ PasswordLength: 4097 }, 'PasswordLength must be a whole number from 1 to 4096, got 4097'],
    [{ PasswordLength: 3 }, 'Password length is too short based on the required types.'],
    [
      { ExcludeLowercase: true, ExcludeUppercase: true, ExcludeNumbers: true, ExcludePunctuation: true },
      'The password must have at least one character to choose from.',
    ],
  ])('cannot be made from %j', (options, text) => {
    expect(() => randomPassword(options, new Random(1))).toThrow(text);
  });
});
