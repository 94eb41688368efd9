import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../account/errors';

/**
 * Synthesizes `RentalOrdersStack` with the constructs of this package and the user's own aws-cdk-lib, so that the story
 * plays wherever the package is installed. The assembly goes when the process does.
 *
 * @returns the folder of the assembly
 * @throws BadInput when aws-cdk-lib and constructs are not there
 */
export function synthesizeRentalOrders(): string {
  const { App, RentalOrdersStack } = loadConstructs();
  const directory = mkdtempSync(path.join(tmpdir(), 'dlo-rental-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // What is only played needs no validation for CloudFormation, which would take about as long as the day itself.
  const app = new App({ outdir: directory, analyticsReporting: false, builtinCloudFormationValidation: false });
  new RentalOrdersStack(app, 'RentalOrders', {
    rentalOrders: { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' },
  });
  app.synth();
  return directory;
}

/** Loaded when they are needed only: every other command does without them, and starts the faster. */
function loadConstructs() {
  try {
    const { App } = require('aws-cdk-lib') as typeof import('aws-cdk-lib');
    const { RentalOrdersStack } = require('../../examples/rental') as typeof import('../../examples/rental');
    return { App, RentalOrdersStack };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    throw new BadInput(['the story needs aws-cdk-lib and constructs beside it; install them, or name an --assembly']);
  }
}
