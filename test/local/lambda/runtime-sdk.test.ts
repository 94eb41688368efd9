import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html#nodejs-sdk-included */
describe("the SDK of Lambda's runtime", () => {
  async function run(code: string): Promise<unknown> {
    const world = await Deployed.stack(stack => void inlineFunction(stack, 'Function', code));
    const lambda = new LambdaClient({ ...world.aws.clientConfig(), maxAttempts: 1 });
    const answer = lambda.send(new InvokeCommand({ FunctionName: world.ref('Function') }));
    await world.advance({ seconds: 10 });
    const { Payload } = await answer;
    return JSON.parse(Buffer.from(Payload ?? []).toString());
  }

  it('is found by a function that does not carry it, and reaches the embedded AWS', async () => {
    const identity = await run(`
      const { STSClient, GetCallerIdentityCommand } = require('@aws-sdk/client-sts');
      exports.handler = async () => (await new STSClient({}).send(new GetCallerIdentityCommand({}))).Arn;`);
    expect(identity).toMatch(/^arn:aws:sts::123456789012:assumed-role\/Test-FunctionServiceRole\w+-\w+\/Test-Function/);
  });

  it('can be loaded where it is not installed, and says so when it is used', async () => {
    const failed = await run(`
      const { GlacierClient } = require('@aws-sdk/client-glacier');
      exports.handler = async () => new GlacierClient({});`);
    expect(failed).toMatchObject({
      errorMessage:
        "@aws-sdk/client-glacier is part of Lambda's runtime and not installed on this machine: npm install --save-dev @aws-sdk/client-glacier",
    });
  });

  it('is all there is: other packages must be in the bundle', async () => {
    const failed = await run("require('constructs'); exports.handler = async () => 1;");
    expect(failed).toMatchObject({
      errorType: 'Runtime.ImportModuleError',
      errorMessage: expect.stringContaining("Cannot find module 'constructs'"),
    });
  });
});
