import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const APP = path.resolve(__dirname, '../../dist/bin/app.js');

interface Assembly {
  readonly environment: string;
  readonly resources: Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;
}

/** Runs the built app as the CDK CLI does, without an account, credentials or network. */
function synthesized(context: Record<string, string>): Assembly {
  const folder = mkdtempSync(path.join(tmpdir(), 'cdk-out-'));
  const env = { PATH: process.env['PATH'], CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) };
  execFileSync(process.execPath, [APP], { env });
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  return {
    environment: read('manifest.json').artifacts.RentalOrders.environment,
    resources: read('RentalOrders.template.json').Resources,
  };
}

describe('The CDK app, as built', () => {
  test('writes an assembly for any account and Region, as the context says', () => {
    const billingEndpoint = 'https://billing.acme.test/invoices';
    const { environment, resources } = synthesized({
      opsEmail: 'ops@example.com',
      billingEndpoint,
      setAccountLoggingRole: 'false',
    });
    expect(environment).toBe('aws://unknown-account/unknown-region');
    const all = Object.values(resources);
    expect(all.filter(({ Type }) => Type === 'AWS::ApiGateway::Account')).toEqual([]);
    expect(all.filter(({ Properties }) => Properties?.['Protocol'] === 'email')).toEqual([
      expect.objectContaining({ Properties: expect.objectContaining({ Endpoint: 'ops@example.com' }) }),
    ]);
    expect(all.filter(({ Type }) => Type === 'AWS::Lambda::Function')).toEqual([
      expect.objectContaining({
        Properties: expect.objectContaining({
          Environment: { Variables: expect.objectContaining({ BILLING_URL: billingEndpoint }) },
        }),
      }),
    ]);
  });
});
