import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { DeadLetterOfficeChecks } from 'dead-letter-office';
import { BadInput, EXIT, messageOf } from '../account/errors';
import { RentalOrdersStack } from '../examples/rental';
import { type AppSettings, readSettings } from './app-context';

/** Synthesizes the rental backend, checked by cdk-nag, cdk-preflight and our own checks. */
function synthesize(app: App, { stackName, rentalOrders }: AppSettings): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new DeadLetterOfficeChecks());
  Preflight.apply(app, { strict: true });
  new RentalOrdersStack(app, stackName, { rentalOrders });
  app.synth();
}

function messagesOf(error: unknown): readonly string[] {
  return error instanceof BadInput ? error.messages.map(message => `context: ${message}`) : [messageOf(error)];
}

/** cdk-preflight runs CDK's own template validation too, and as errors: once is enough. */
const app = new App({ builtinCloudFormationValidation: false, autoSynth: false });
try {
  synthesize(
    app,
    readSettings(name => app.node.tryGetContext(name)),
  );
} catch (error) {
  // What is wrong is in the context; only who asks for it (`cdk --debug`) wants to know where it was noticed.
  if (process.env['CDK_DEBUG'] === 'true') throw error;
  for (const message of messagesOf(error)) {
    process.stderr.write(`${message}\n`);
  }
  process.exitCode = EXIT.badInput;
}
