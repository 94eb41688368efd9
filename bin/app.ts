import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { RentalOrdersStack } from '../lib';
import { type AppSettings, readSettings } from './app-context';
import { BadInput } from './errors';
import { EXIT } from './run';

/** Synthesizes the rental backend, checked by cdk-nag and cdk-preflight. */
function synthesize(app: App, { stackName, rentalOrders }: AppSettings): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  Preflight.apply(app, { strict: true });
  new RentalOrdersStack(app, stackName, { rentalOrders });
  app.synth();
}

/** cdk-preflight runs CDK's own template validation too, and as errors: once is enough. */
const app = new App({ builtinCloudFormationValidation: false });
try {
  synthesize(
    app,
    readSettings(name => app.node.tryGetContext(name)),
  );
} catch (error) {
  if (!(error instanceof BadInput)) throw error;
  for (const message of error.messages) process.stderr.write(`context: ${message}\n`);
  process.exitCode = EXIT.badInput;
}
