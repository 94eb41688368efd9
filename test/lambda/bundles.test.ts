import { statSync } from 'node:fs';
import path from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Deployed } from '../support/deployed';

const BUNDLES = path.resolve(__dirname, '../../dist/lambda');

/** Limits about ten percent above today's sizes. A cold start reads and compiles the whole bundle, so growth must be a decision. */
test.each([
  { name: 'relay', maxBytes: 300_000 },
  { name: 'relay-breaker', maxBytes: 357_000 },
  { name: 'redrive', maxBytes: 567_000 },
  { name: 'topic-settings', maxBytes: 264_000 },
  { name: 'dispatcher', maxBytes: 345_000 },
  { name: 'deliverer', maxBytes: 390_000 },
  { name: 'prober', maxBytes: 365_000 },
])('The bundle of $name stays below $maxBytes bytes', ({ name, maxBytes }) => {
  expect(statSync(path.join(BUNDLES, name, 'index.js')).size).toBeLessThan(maxBytes);
});

/** Functions whose settings are missing, so that their code throws. */
function functionsThatThrow(stack: Stack): void {
  for (const bundle of ['relay', 'topic-settings']) {
    new LambdaFunction(stack, bundle, {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(path.join(BUNDLES, bundle)),
      environment: { NODE_OPTIONS: '--enable-source-maps' },
    });
  }
}

test.each([
  { bundle: 'relay', type: 'Error', frame: /at ownSettings \(\S*\/lambda\/relay\/relay\.lambda\.ts:\d+:\d+\)/ },
  {
    bundle: 'topic-settings',
    type: 'NotARequestError',
    frame: /at readRequest \(\S*\/lambda\/topic-settings\/cloudformation-request\.ts:\d+:\d+\)/,
  },
])(
  'The log of a minified function that throws names the error, the functions and the source lines: $bundle',
  async ({ bundle, type, frame }) => {
    const deployed = await Deployed.stack(functionsThatThrow);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const FunctionName = deployed.ref(bundle);
    await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: '{}' }));
    await deployed.advance({ seconds: 30 });
    const log = deployed.log(`/aws/lambda/${FunctionName}`).join('\n');
    expect(log).toContain(`"errorType":"${type}"`);
    expect(log).toMatch(frame);
  },
);
