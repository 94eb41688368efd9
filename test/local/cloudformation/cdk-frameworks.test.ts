import { CustomResource, Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId, Provider } from 'aws-cdk-lib/custom-resources';
import { AssemblyError, LocalAws } from '../../../local';
import { assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

function withProvider(stack: Stack, code: string): CustomResource {
  const onEventHandler = inlineFunction(stack, 'OnEvent', code);
  const provider = new Provider(stack, 'Provider', { onEventHandler });
  return new CustomResource(stack, 'Custom', {
    serviceToken: provider.serviceToken,
    properties: { Name: 'x', Count: 2 },
  });
}

/** https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.custom_resources-readme.html#provider-framework */
describe("CDK's provider framework", () => {
  it('calls the handler and answers for it', async () => {
    const world = await Deployed.stack(stack => {
      withProvider(
        stack,
        `exports.handler = async ({ RequestType, ResourceProperties: { Name, Count } }) =>
           ({ PhysicalResourceId: Name + '-made', Data: { Said: RequestType + ' ' + Name + ' ' + typeof Count } });`,
      );
    });
    expect(world.ref('Custom/Default')).toBe('x-made');
    expect(world.aws.resource('Custom').attributes).toEqual({ Said: 'Create x string' });
  });

  it('tells what went wrong in the handler', async () => {
    const assembly = assemblyOfStack(stack => {
      withProvider(stack, `exports.handler = async () => { throw new Error('no such zone'); };`);
    });
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(failure).toBeInstanceOf(AssemblyError);
    expect(String(failure)).toMatch(
      /Received response status \[FAILED\] from custom resource\. Message returned: .*no such zone/s,
    );
  });

  it('is refused by name where it waits: its waiter is a state machine', async () => {
    const assembly = assemblyOfStack(stack => {
      const handler = inlineFunction(stack, 'OnEvent', 'exports.handler = async () => ({});');
      const provider = new Provider(stack, 'Provider', {
        onEventHandler: handler,
        isCompleteHandler: handler,
        totalTimeout: Duration.minutes(5),
      });
      new CustomResource(stack, 'Custom', { serviceToken: provider.serviceToken });
    });
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(String(failure)).toContain('AWS::StepFunctions::StateMachine): this resource type is not implemented');
  });
});

/** https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.custom_resources.AwsCustomResource.html */
describe('AwsCustomResource', () => {
  it('calls a service of the embedded AWS with the SDK of this machine', async () => {
    const world = await Deployed.stack(stack => {
      const source = new StringParameter(stack, 'Source', { parameterName: '/source', stringValue: 'hello' });
      const read = new AwsCustomResource(stack, 'Read', {
        onCreate: {
          service: 'SSM',
          action: 'getParameter',
          parameters: { Name: source.parameterName },
          physicalResourceId: PhysicalResourceId.of('read'),
        },
        policy: AwsCustomResourcePolicy.fromStatements([
          new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [source.parameterArn] }),
        ]),
        installLatestAwsSdk: false,
      });
      new StringParameter(stack, 'Copy', {
        parameterName: '/copy',
        stringValue: read.getResponseField('Parameter.Value'),
      });
    });
    const { ssm } = world.aws.services;
    expect(ssm.call('GetParameter', ssm.owner, { Name: '/copy' }).Parameter?.Value).toBe('hello');
  });
});
