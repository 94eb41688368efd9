import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { DeadLetterOfficeChecks } from 'dead-letter-office';
import { BadInput, messageOf } from '../account/errors';
import { RentalOrdersStack } from '../examples/rental';
import { type AppSettings, readSettings } from './app-context';
import { EXIT } from './shared/io';

/** Synthesizes the rental backend with the checks of cdk-nag, cdk-preflight and this package. */
function synthesize(app: App, { stackName, rentalOrders }: AppSettings): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new DeadLetterOfficeChecks());
  Preflight.apply(app, { strict: true });
  new RentalOrdersStack(app, stackName, { rentalOrders });
  app.synth();
}

function messagesOf(error: unknown): readonly string[] {
  return error instanceof BadInput ? error.messages.map(message => `context: ${message}`) : [messageOf(error)];
}

/** cdk-preflight already runs CDK's template validation, and reports its findings as errors. */
const app = new App({ builtinCloudFormationValidation: false, autoSynth: false });
try {
  synthesize(
    app,
    readSettings(name => app.node.tryGetContext(name)),
  );
} catch (error) {
  // The user passed a wrong context value, so the stack trace is printed only with `cdk --debug`.
  if (process.env['CDK_DEBUG'] === 'true') throw error;
  for (const message of messagesOf(error)) {
    process.stderr.write(`${message}\n`);
  }
  process.exitCode = EXIT.badInput;
}
