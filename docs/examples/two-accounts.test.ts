import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { LocalAws } from 'dead-letter-office/local';

const app = new App();
const queue = new Queue(new Stack(app, 'Billing', { env: { account: '222222222222', region: 'eu-west-1' } }), 'Queue', {
  queueName: 'Billing',
});
const orders = new Stack(app, 'Orders', { env: { account: '111111111111', region: 'us-east-1' } });
const topic = new Topic(orders, 'Topic', { topicName: 'Orders' });
topic.addSubscription(new SqsSubscription(queue));
topic.grantSubscribe(new AccountPrincipal('222222222222'));
new CfnOutput(orders, 'TopicArn', { value: topic.topicArn });

test('an order reaches the queue of the other account, in another Region', async () => {
  const place = { account: '111111111111', region: 'us-east-1' };
  const aws = await LocalAws.deploy(app.synth(), { place });
  const sns = new SNSClient(aws.clientConfig());
  await sns.send(new PublishCommand({ TopicArn: aws.output('TopicArn'), Message: 'order 1' }));
  await aws.advance({ seconds: 1 });
  expect(aws.state().queues).toMatchObject([{ arn: 'arn:aws:sqs:eu-west-1:222222222222:Billing', visible: 1 }]);
  await aws.close();
});
