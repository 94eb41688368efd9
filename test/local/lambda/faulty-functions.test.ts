import path from 'node:path';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Functions of which each is at fault in its own way. */
const HANDLERS = {
  Works: 'exports.handler = async event => { console.log(event.Records[0].Sns.Message); };',
  BrokenOnLoad: 'throw new TypeError("no such table");',
  NoHandler: 'exports.other = async () => {};',
  NotJavaScript: 'exports.handler = async ( => {};',
  TooSlow: 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 60_000));',
  Loops: 'exports.handler = async () => { for (;;); };',
  LoopsOnLoad: 'for (;;);',
  Exits: 'exports.handler = async () => process.exit(3);',
} as const;

function handlers(stack: Stack): void {
  const topic = new Topic(stack, 'Orders');
  for (const [id, code] of Object.entries(HANDLERS)) {
    const handler = inlineFunction(stack, id, code, { timeout: Duration.seconds(5), retryAttempts: 0 });
    topic.addSubscription(new LambdaSubscription(handler));
  }
}

describe('a function at fault', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(handlers, { lambda: { watchdogMs: 2_000 } });
    await deployed.publish('Orders', 'an order');
    await deployed.aws.runUntilIdle();
  }, 60_000);

  const finished = (id: string) =>
    deployed.happened('lambda.finished').filter(({ functionArn }) => functionArn === deployed.arn(id));

  test.each([
    { id: 'BrokenOnLoad', outcome: 'error', errorType: 'TypeError', errorMessage: 'no such table' },
    {
      id: 'NoHandler',
      outcome: 'error',
      errorType: 'Runtime.HandlerNotFound',
      errorMessage: 'index.handler is undefined or not exported',
    },
    {
      id: 'NotJavaScript',
      outcome: 'error',
      errorType: 'Runtime.UserCodeSyntaxError',
      errorMessage: expect.stringMatching(/^SyntaxError: /),
    },
    { id: 'TooSlow', outcome: 'timeout', errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/) },
    { id: 'Loops', outcome: 'timeout', errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/) },
    {
      id: 'LoopsOnLoad',
      outcome: 'timeout',
      errorMessage: expect.stringMatching(/ Task timed out after 5\.00 seconds$/),
    },
    {
      id: 'Exits',
      outcome: 'error',
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringMatching(/Error: Runtime exited with error: exit status 3$/),
    },
  ])('fails by itself, in Lambda’s words: $id', ({ id, ...failure }) => {
    expect(finished(id)).toMatchObject([failure]);
    const log = deployed.log(`/aws/lambda/${deployed.ref(id)}`).join('\n');
    expect(log).toContain('REPORT RequestId: ');
    expect(log).not.toContain(path.join('local', 'lambda'));
  });

  test('does the others no harm, and the world goes on', async () => {
    expect(finished('Works')).toMatchObject([{ outcome: 'success' }]);
    const topicSum = await deployed.topicSum('Orders', 'NumberOfNotificationsDelivered');
    expect(topicSum).toBe(Object.keys(HANDLERS).length);
    const before = deployed.seconds;
    await deployed.advance({ hours: 1 });
    expect(deployed.seconds).toBe(before + 3_600);
  });
});
