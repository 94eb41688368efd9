import { spawnSync } from 'node:child_process';
import path from 'node:path';

const BUNDLE = path.resolve(__dirname, '../../../dist/lambda/rental-billing/index.js');

function load(environment: Record<string, string>) {
  const script = `console.log(typeof require(${JSON.stringify(BUNDLE)}).handler)`;
  const env = { PATH: process.env['PATH'], ...environment };
  return spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
}

describe('The bundle of Rental-Billing', () => {
  test('exports a handler', () => {
    expect(load({ BILLING_URL: 'https://billing.example.com/invoices' }).stdout.trim()).toBe('function');
  });

  test.each([[{}], [{ BILLING_URL: '' }], [{ BILLING_URL: 'billing.example.com' }]])(
    'does not load with %j, and says what it misses',
    environment => {
      const { status, stderr } = load(environment);
      expect(status).toBe(1);
      expect(stderr).toContain('BILLING_URL must be an absolute URL');
    },
  );
});
