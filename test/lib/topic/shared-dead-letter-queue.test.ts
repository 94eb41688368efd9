import { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, ImportedTopic } from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { allowPlainConsumers, HERE, newStack, only, opsTopic, templateOf } from '../support';

const URL = 'https://partner.example.com/orders';

function stackWith(fill: (stack: Stack) => void): Stack {
  const stack = newStack(HERE);
  allowPlainConsumers(stack);
  fill(stack);
  return stack;
}

describe('A topic with sharedDeadLetterQueue', () => {
  test('has one dead-letter queue for all deliveries, with the key and the actions of the topic', () => {
    const stack = stackWith(it => {
      const masterKey = new Key(it, 'Key');
      const topic = new DurableTopic(it, 'Orders', {
        sharedDeadLetterQueue: true,
        masterKey,
        alarmActions: [opsTopic(it)],
      });
      topic.deliverToQueue('Inbox', new Queue(it, 'Inbox', { queueName: 'inbox' }));
      topic.deliverToFunction('Worker', newFunction(it));
      topic.deliverToEndpoint('Partner', URL);
      expect(topic.deadLetterQueues).toHaveLength(1);
      expect(new Set(topic.deliveries.map(({ deadLetterQueue }) => deadLetterQueue)).size).toBe(1);
    });
    const template = templateOf(stack);
    const [id, { Properties }] = only(template, 'AWS::SQS::Queue', { Properties: Match.not({ QueueName: 'inbox' }) });
    expect(id).toMatch(/^OrdersDeliveriesSharedDeadLetterQueue/);
    expect(Properties['KmsMasterKeyId']).toBeDefined();
    const { RedrivePolicy } = { RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [id, 'Arn'] } } };
    template.resourcePropertiesCountIs('AWS::SNS::Subscription', { RedrivePolicy }, 3);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'NumberOfNotificationsRedrivenToDlq',
      AlarmDescription: Match.stringLikeRegexp('Inbox, Worker, Partner\\.'),
      AlarmActions: [Match.anyValue()],
    });
  });

  test('gives a delivery the queue that is passed to it, also one that is not a construct of ours', () => {
    const stack = stackWith(it => {
      const topic = new DurableTopic(it, 'Orders', { sharedDeadLetterQueue: true });
      const deadLetterQueue = new DeadLetterQueue(it, 'Own');
      topic.deliverToQueue('Inbox', new Queue(it, 'Inbox'), { deadLetterQueue, rawMessageDelivery: true });
    });
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 2);
  });

  test('can use an imported one', () => {
    const stack = stackWith(it => {
      const topic = Topic.fromTopicArn(it, 'Theirs', `arn:aws:sns:${HERE.region}:${HERE.account}:orders`);
      const orders = new ImportedTopic(it, 'Orders', { topic, sharedDeadLetterQueue: true });
      orders.deliverToEndpoint('Partner', URL);
      orders.deliverToEndpoint('Other', `${URL}/other`);
      expect(orders.deadLetterQueues).toHaveLength(1);
    });
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 1);
  });

  test('uses it for a delivery to a queue of another stack, too', () => {
    const stack = stackWith(it => {
      const other = new Stack(it.node.scope, 'Other', { env: HERE });
      const topic = new DurableTopic(it, 'Orders', { sharedDeadLetterQueue: true });
      topic.deliverToQueue('Inbox', new Queue(other, 'Inbox'));
      topic.deliverToEndpoint('Partner', URL);
      templateOf(other).resourceCountIs('AWS::SQS::Queue', 1);
    });
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 1);
  });
});

test('A topic without sharedDeadLetterQueue gives each delivery its own', () => {
  const stack = stackWith(it => {
    const topic = new DurableTopic(it, 'Orders', { sharedDeadLetterQueue: false });
    topic.deliverToEndpoint('Partner', URL);
    topic.deliverToEndpoint('Other', `${URL}/other`);
  });
  templateOf(stack).resourceCountIs('AWS::SQS::Queue', 2);
});
