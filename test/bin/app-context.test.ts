import { type AppSettings, readSettings } from '../../bin/app-context';
import { BadInput } from '../../bin/errors';

function settings(context: Readonly<Record<string, unknown>>): AppSettings {
  return readSettings(name => context[name]);
}

describe('The settings in the CDK context', () => {
  test('are the defaults where it says nothing', () => {
    expect(settings({})).toEqual({ stackName: 'RentalOrders', rentalOrders: {} });
  });

  test.each([
    [false, false],
    [true, true],
    ['false', false],
    ['true', true],
    ['', undefined],
    [undefined, undefined],
  ])('take setAccountLoggingRole %j, as cdk.json or the command line has it', (setAccountLoggingRole, expected) => {
    expect(settings({ setAccountLoggingRole }).rentalOrders.setAccountLoggingRole).toBe(expected);
  });

  test('name another stack for another prefix', () => {
    expect(settings({ namePrefix: 'Van-Hire' })).toMatchObject({
      stackName: 'Van-HireOrders',
      rentalOrders: { namePrefix: 'Van-Hire' },
    });
  });

  test.each(['van_hire', '4wheels', '-x', 'x'.repeat(51)])(
    'refuse the prefix %s, after which no stack can be named',
    namePrefix => {
      expect(() => settings({ namePrefix })).toThrow(
        'namePrefix must be 1 to 50 letters, digits and hyphens, a letter first, for the stack is named after it, got',
      );
    },
  );

  test('name every value that is not of its kind, at once', () => {
    expect(() => settings({ setAccountLoggingRole: 0, opsEmail: 7, billingEndpoint: ['x'], namePrefix: {} })).toThrow(
      new BadInput([
        'namePrefix must be a text, got {}',
        'opsEmail must be a text, got 7',
        'billingEndpoint must be a text, got ["x"]',
        'setAccountLoggingRole must be true or false, got 0',
      ]),
    );
  });
});
