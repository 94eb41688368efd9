import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../errors';

/** An assembly made for the occasion. */
export interface FreshAssembly {
  readonly directory: string;
  remove(): void;
}

/**
 * Synthesizes `RentalOrdersStack` with the constructs of this package and the user's own aws-cdk-lib, so that the story
 * plays wherever the package is installed.
 *
 * @throws BadInput when aws-cdk-lib and constructs are not there
 */
export function synthesizeRentalOrders(): FreshAssembly {
  const { App, RentalOrdersStack } = loadConstructs();
  const directory = mkdtempSync(path.join(tmpdir(), 'dlo-rental-'));
  const app = new App({ outdir: directory, analyticsReporting: false });
  new RentalOrdersStack(app, 'RentalOrders', {
    rentalOrders: { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' },
  });
  app.synth();
  return { directory, remove: () => rmSync(directory, { recursive: true }) };
}

/** Loaded when they are needed only: every other command does without them, and starts the faster. */
function loadConstructs() {
  try {
    const { App } = require('aws-cdk-lib') as typeof import('aws-cdk-lib');
    const { RentalOrdersStack } = require('../../../lib') as typeof import('../../../lib');
    return { App, RentalOrdersStack };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    throw new BadInput(['the story needs aws-cdk-lib and constructs beside it; install them, or name an --assembly']);
  }
}
