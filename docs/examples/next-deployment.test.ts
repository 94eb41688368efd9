import { App, Duration, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { deployCheck, LocalAws } from 'dead-letter-office/local';
import { type LocalAwsMatchers, matchers } from 'dead-letter-office/matchers';

declare global {
  namespace jest {
    interface Matchers<R> extends LocalAwsMatchers<R> {}
  }
}

expect.extend(matchers);

/** Two versions of an app differ in the settings of its queue, or in whether the topic delivers to it. */
function version({ hasSubscription = true, ...settings }: QueueProps & { hasSubscription?: boolean }) {
  const app = new App();
  const stack = new Stack(app, 'Orders');
  const topic = new Topic(stack, 'Topic');
  const queue = new Queue(stack, 'Queue', settings);
  if (hasSubscription) topic.addSubscription(new SqsSubscription(queue));
  return app.synth();
}

const deployed = version({});

test('a longer visibility timeout loses nothing, and orders keep flowing meanwhile', async () => {
  const next = version({ visibilityTimeout: Duration.minutes(2) });
  const aws = await LocalAws.deploy(deployed);
  aws.publish('Orders/Topic', 'before the update');
  aws.timeline.after(5_000, () => void aws.publish('Orders/Topic', 'during the update'));
  expect(await aws.update(next)).toEqual(['Orders']);
  expect(aws.drain('Orders/Queue').map(({ body }) => JSON.parse(body).Message)).toEqual([
    'before the update',
    'during the update',
  ]);
  expect(aws).toHaveLost(0);
  await aws.close();
  await expect(deployCheck(deployed, next)).toLoseNothing();
});

test('a queue with another name is another queue, and what the old one holds is lost', async () => {
  const next = version({ queueName: 'orders' });
  const { verdict, receivers, risks } = await deployCheck(deployed, next);
  const causes = [{ becomes: 'lost', operation: { verb: 'UPDATE', resourceType: 'AWS::SQS::QueuePolicy' } }];
  expect([verdict, receivers]).toMatchObject([
    'unsafe',
    [{ receiver: 'Orders/Queue', changes: [{ kind: 'lost', causes }] }],
  ]);
  expect(risks).toContainEqual(
    expect.objectContaining({ severity: 'loses', resource: expect.stringContaining('Orders/Queue') }),
  );
  await expect(deployCheck(deployed, next)).not.toLoseNothing();
});

test('a delivery that is removed stops arriving, and passes if it is accepted', async () => {
  const next = version({ hasSubscription: false });
  const { receivers } = await deployCheck(deployed, next);
  expect(receivers).toMatchObject([{ receiver: 'Orders/Queue', changes: [{ kind: 'stops-arriving' }] }]);
  await expect(deployCheck(deployed, next, { accept: ['Orders/Queue:stops-arriving'] })).toLoseNothing();
});
