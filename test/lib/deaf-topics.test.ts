import type { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { DeadLetterQueue, DeliveryStatusLogging, DurableTopic, OpsTopic } from '../../lib';
import { newStack, warningIds } from './support';

function heardBy(topicIn: (stack: Stack) => Topic): string[] {
  const stack = newStack();
  const topic = topicIn(stack);
  const action = topic instanceof OpsTopic ? topic : new SnsAction(topic);
  new DeadLetterQueue(stack, 'Letters', { alarmActions: [action] });
  return warningIds(stack);
}

const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');

describe('A topic alarms speak to', () => {
  test.each<[string, (stack: Stack) => Topic]>([
    ['a key', stack => new Topic(stack, 'Ops', { masterKey: new Key(stack, 'Key') })],
    ['a key, though it is durable', stack => new DurableTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key') })],
    ['a policy that only refuses', stack => new Topic(stack, 'Ops', { enforceSSL: true })],
  ])('is closed to CloudWatch by %s', (_, topicIn) => {
    expect(heardBy(topicIn)).toEqual(['alarm-topic-closed']);
  });

  test.each<[string, (stack: Stack) => Topic]>([
    ['a plain one', stack => new Topic(stack, 'Ops')],
    ['a durable one', stack => new DurableTopic(stack, 'Ops')],
    [
      'an OpsTopic with a key',
      stack => new OpsTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key'), email: 'ops@example.com' }),
    ],
    [
      'one that was opened by hand',
      stack => {
        const masterKey = new Key(stack, 'Key');
        masterKey.grant(cloudWatch, 'kms:Decrypt', 'kms:GenerateDataKey*');
        const topic = new Topic(stack, 'Ops', { masterKey, enforceSSL: true });
        topic.grantPublish(cloudWatch);
        return topic;
      },
    ],
  ])('is open as %s', (_, topicIn) => {
    expect(heardBy(topicIn)).toEqual([]);
  });
});

test.each<[string, (stack: Stack) => Topic]>([
  ['of the app', stack => new Topic(stack, 'Ops', { fifo: true })],
  ['that is durable', stack => new DurableTopic(stack, 'Ops', { fifo: true })],
])('A FIFO topic %s may not hear alarms', (_, topicIn) => {
  expect(heardBy(topicIn)).toEqual(['alarm-topic-fifo']);
});

test('A FIFO topic made elsewhere may not hear alarms either', () => {
  const stack = newStack();
  const topic = Topic.fromTopicArn(stack, 'Ops', 'arn:aws:sns:us-east-1:111122223333:ops.fifo');
  new DeadLetterQueue(stack, 'Letters', { alarmActions: [new SnsAction(topic)] });
  expect(warningIds(stack)).toContain('alarm-topic-fifo');
});

test('A DeliveryStatusLogging whose role a plain topic logs with is in use', () => {
  const stack = newStack();
  const topic = new Topic(stack, 'Topic');
  const { role } = new DeliveryStatusLogging(stack, 'Logs', { topic });
  topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole: role });
  expect(warningIds(stack)).toEqual([]);
});
