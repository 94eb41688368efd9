import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { RentalOrdersStack } from '../lib';

/** cdk-preflight runs CDK's own template validation too, and as errors: once is enough. */
const app = new App({ builtinCloudFormationValidation: false });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
Preflight.apply(app, { strict: true });

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
