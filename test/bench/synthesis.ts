import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { RentalOrdersStack } from '../../lib';
import { plainRentalStack } from './plain-rental-stack';
import { type Ratio, sideBySide } from './ratio';

const ROUNDS = 7;

/** Synthesizes into a folder that is gone afterwards; `look` may look at it before. */
export async function synthesized<T>(fill: (app: App) => void, look: (assembly: string) => T | Promise<T>): Promise<T> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'dlo-bench-'));
  try {
    const app = new App({ outdir, analyticsReporting: false });
    fill(app);
    app.synth();
    return await look(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function resourceTypes(assembly: string, stack: string): string[] {
  const template = JSON.parse(readFileSync(path.join(assembly, `${stack}.template.json`), 'utf8')) as {
    Resources: Record<string, { Type: string }>;
  };
  return Object.values(template.Resources)
    .map(({ Type }) => Type)
    .sort();
}

/** The bundle of the billing function, as built. */
const CODE = path.resolve(__dirname, '../lambda/rental-billing');

export async function synthesis(): Promise<Ratio> {
  const ours = (app: App): void => {
    new RentalOrdersStack(app, 'RentalOrders', { rentalOrders: { opsEmail: 'ops@example.com' } });
  };
  const plain = (app: App): void => plainRentalStack(app, CODE);
  const count = (fill: (app: App) => void, stack: string) => synthesized(fill, dir => resourceTypes(dir, stack).length);
  const [measuredMs, againstMs] = await sideBySide(
    ROUNDS,
    () => synthesized(ours, () => {}),
    () => synthesized(plain, () => {}),
  );
  return {
    what: `synthesis of RentalOrders (${await count(ours, 'RentalOrders')} resources)`,
    measuredMs,
    against: `the same kinds as plain L2s (${await count(plain, 'PlainRental')} resources)`,
    againstMs,
  };
}
