import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
    const assembly = synthesized({ opsEmail: 'ops@example.com', billingEndpoint, setAccountLoggingRole: false });
    expect(assembly.stack).toBe('RentalOrders');
    expect(assembly.environment).toBe('aws://unknown-account/unknown-region');
    expect(ofType(assembly, 'AWS::ApiGateway::Account')).toEqual([]);
    const all = Object.values(assembly.resources);
    expect(all.filter(({ Properties }) => Properties?.['Protocol'] === 'email')).toEqual([
      expect.objectContaining({ Properties: expect.objectContaining({ Endpoint: 'ops@example.com' }) }),
    ]);
    expect(ofType(assembly, 'AWS::Lambda::Function')).toEqual([
      expect.objectContaining({
        Properties: expect.objectContaining({
          Environment: { Variables: expect.objectContaining({ BILLING_URL: billingEndpoint }) },
        }),
      }),
    ]);
  });

  test('makes another stack, with other names, for another prefix', () => {
    const second = synthesized({ namePrefix: 'Van-Hire' });
    expect(second.stack).toBe('Van-HireOrders');
    const names = ofType(second, 'AWS::SQS::Queue').map(({ Properties }) => String(Properties['QueueName']));
    expect(names).toHaveLength(5);
    expect(names.filter(name => !name.startsWith('Van-Hire-'))).toEqual([]);
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
