import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { RentalOrdersStack } from '../lib';

/** Context set here holds whether the CDK CLI runs the app or node does, so that what is deployed is what is simulated. */
const app = new App({ context: { '@aws-cdk/core:validateAgainstDefaultRules': true } });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
Preflight.apply(app);

/** Context as text: `-c opsEmail=ops@example.com`. */
function context(name: string): string | undefined {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

new RentalOrdersStack(app, 'RentalOrders', {
  rentalOrders: {
    opsEmail: context('opsEmail'),
    billingEndpoint: context('billingEndpoint'),
    namePrefix: context('namePrefix'),
    setAccountLoggingRole: context('setAccountLoggingRole') !== 'false',
  },
});

app.synth();
