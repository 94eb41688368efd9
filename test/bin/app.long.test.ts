import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../account/errors';
import { type AppSettings, readSettings } from '../../bin/app-context';

const APP = path.resolve(__dirname, '../../dist/bin/app.js');

interface Assembly {
  readonly stack: string;
  readonly environment: string;
  readonly resources: Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;
}

/** Runs the built app as the CDK CLI does, without an account, credentials or network. */
function run(context: Readonly<Record<string, unknown>>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cdk-out-'));
  const env = { PATH: process.env['PATH'], CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const { status, stderr } = spawnSync(process.execPath, [APP], { env, encoding: 'utf8' });
  return { folder, status, stderr };
}

function synthesized(context: Readonly<Record<string, unknown>>): Assembly {
  const { folder, status, stderr } = run(context);
  if (status !== 0) throw new Error(stderr);
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const artifacts: [string, { type: string; environment: string }][] = Object.entries(read('manifest.json').artifacts);
  const [[stack, { environment }] = ['', { environment: '' }], ...others] = artifacts.filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  expect(others).toEqual([]);
  return { stack, environment, resources: read(`${stack}.template.json`).Resources };
}

function ofType({ resources }: Assembly, type: string) {
  return Object.values(resources).filter(({ Type }) => Type === type);
}

describe('The CDK app, as built', () => {
  test('writes an assembly for any account and Region, as the context says', () => {
    const billingEndpoint = 'https://billing.acme.test/invoices';
    const context = { opsEmail: 'ops@example.com', billingEndpoint, setAccountLoggingRole: false };
    const assembly = synthesized({ ...context, namePrefix: 'Van-Hire' });
    expect(assembly.stack).toBe('Van-HireOrders');
    expect(assembly.environment).toBe('aws://unknown-account/unknown-region');
    expect(ofType(assembly, 'AWS::ApiGateway::Account')).toEqual([]);
    const all = Object.values(assembly.resources);
    expect(all.filter(({ Properties }) => Properties?.['Protocol'] === 'email')).toEqual([
      expect.objectContaining({ Properties: expect.objectContaining({ Endpoint: 'ops@example.com' }) }),
    ]);
    const billingUrls = ofType(assembly, 'AWS::Lambda::Function').flatMap(({ Properties }) => {
      const { Variables = {} } = Object(Properties['Environment']) as {
        readonly Variables?: Record<string, unknown>;
      };
      return Variables['BILLING_URL'] ?? [];
    });
    expect(billingUrls).toEqual([billingEndpoint]);
    const names = ofType(assembly, 'AWS::SQS::Queue').map(({ Properties }) => String(Properties['QueueName']));
    expect(names).toHaveLength(5);
    expect(names.filter(name => !name.startsWith('Van-Hire-'))).toEqual([]);
  });

  test('adds the systems around the backend, as the context says', () => {
    const assembly = synthesized({ systems: 'true' });
    expect(assembly.stack).toBe('RentalOrders');
    expect(ofType(assembly, 'AWS::AutoScaling::AutoScalingGroup')).toHaveLength(1);
    const billed = ofType(assembly, 'AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties));
    expect(billed.join()).not.toContain('billing.example.com');
  });

  test.each([
    [
      'of the wrong kind',
      { setAccountLoggingRole: 'no' },
      /^context: setAccountLoggingRole must be true or false, got "no"\n$/,
    ],
    ['that the constructs refuse', { billingEndpoint: 'ftp://x' }, /billingEndpoint .*ftp:\/\/x/],
    ['that cdk-preflight refuses', { opsEmail: 'notanemail' }, /\S/],
  ])('says of a context %s what is wrong, without a stack trace, and ends with 2', (_, context, message) => {
    const { status, stderr } = run(context);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(2);
  });
});

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
        'namePrefix must have 1 to 50 characters A-Z, a-z, 0-9 and -, and begin with A-Z or a-z, because it is part of the stack name, got',
      );
    },
  );

  test('name every value that is not of its kind, at once', () => {
    expect(() => settings({ setAccountLoggingRole: 0, opsEmail: 7, billingEndpoint: ['x'], namePrefix: {} })).toThrow(
      new BadInput([
        'namePrefix must be a string, got {}',
        'opsEmail must be a string, got 7',
        'billingEndpoint must be a string, got ["x"]',
        'setAccountLoggingRole must be true or false, got 0',
      ]),
    );
  });
});
