import { Duration, type Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import {
  EventBridgeDestination,
  LambdaDestination,
  SnsDestination,
  SqsDestination,
} from 'aws-cdk-lib/aws-lambda-destinations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const FAILS = 'exports.handler = async () => { throw new Error("no"); };';

describe('destinations as CDK deploys them, with their permissions (aws-semantics section 8)', () => {
  /** Queues an event for the function `Source` and waits for all that follows. */
  async function play(fill: (stack: Stack) => void): Promise<Deployed> {
    const deployed = await Deployed.stack(fill);
    const { lambda, sqs } = deployed.aws.services;
    lambda.call('Invoke', sqs.owner, {
      FunctionName: deployed.ref('Source'),
      InvocationType: 'Event',
      Payload: '{"n":1}',
    });
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('lambda.destination-failed')).toEqual([]);
    return deployed;
  }

  const bodies = async (deployed: Deployed): Promise<unknown[]> =>
    (await deployed.take('Records')).map(body => JSON.parse(body));

  const record = {
    requestPayload: { n: 1 },
    requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
  };

  test('a queue', async () => {
    const deployed = await play(stack => {
      inlineFunction(stack, 'Source', FAILS, { onFailure: new SqsDestination(new Queue(stack, 'Records')) });
    });
    expect(await bodies(deployed)).toMatchObject([record]);
  });

  test('a topic', async () => {
    const deployed = await play(stack => {
      const topic = new Topic(stack, 'Topic');
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'Records'), { rawMessageDelivery: true }));
      inlineFunction(stack, 'Source', FAILS, { onFailure: new SnsDestination(topic) });
    });
    expect(await bodies(deployed)).toMatchObject([record]);
  });

  test('an event bus, whose rules see the detail type and both ARNs', async () => {
    const deployed = await play(stack => {
      const bus = new EventBus(stack, 'Bus');
      const detailType = ['Lambda Function Invocation Result - Failure'];
      new Rule(stack, 'Rule', {
        eventBus: bus,
        eventPattern: { source: ['lambda'], detailType },
        targets: [new SqsQueue(new Queue(stack, 'Records'))],
      });
      inlineFunction(stack, 'Source', FAILS, { onFailure: new EventBridgeDestination(bus) });
    });
    expect(await bodies(deployed)).toMatchObject([
      {
        source: 'lambda',
        'detail-type': 'Lambda Function Invocation Result - Failure',
        resources: [`${deployed.arn('Source')}:$LATEST`, deployed.arn('Bus')],
        detail: record,
      },
    ]);
  });

  test('a function, with retries of its own', async () => {
    const deployed = await play(stack => {
      const next = inlineFunction(stack, 'Next', FAILS, { retryAttempts: 1, maxEventAge: Duration.hours(1) });
      inlineFunction(stack, 'Source', 'exports.handler = async () => 1;', { onSuccess: new LambdaDestination(next) });
    });
    const invoked = deployed.happened('lambda.invoked').map(({ functionArn }) => functionArn);
    expect(invoked).toEqual([deployed.arn('Source'), deployed.arn('Next'), deployed.arn('Next')]);
  });
});
