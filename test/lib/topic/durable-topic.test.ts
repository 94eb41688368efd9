import { Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterOrPolicy, LoggingProtocol, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic } from '../../../lib';
import { newFunction } from '../../support/inline-function';
import {
  allowPlainConsumers,
  HERE,
  keyGrant,
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  templateOf,
  warningIds,
  warningText,
} from '../support';

function subscriptionOf(stack: Stack) {
  return only(templateOf(stack), 'AWS::SNS::Subscription')[1];
}

describe('A delivery of a DurableTopic', () => {
  test('has a dead-letter queue of its own that keeps messages for 14 days, 1,209,600 seconds', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic').deliverToQueue('Orders', new Queue(stack, 'Queue'));
    const template = templateOf(stack);
    const [logicalId] = only(template, 'AWS::SQS::Queue', { Properties: { MessageRetentionPeriod: 1_209_600 } });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [logicalId, 'Arn'] } },
    });
  });

  test('shares a dead-letter queue if one is passed', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    const deadLetterQueue = new DeadLetterQueue(stack, 'Shared');
    const first = topic.deliverToQueue('First', new Queue(stack, 'Queue'), { deadLetterQueue });
    const second = topic.deliverToFunction('Second', newFunction(stack), { deadLetterQueue });
    expect(first.deadLetterQueue).toBe(second.deadLetterQueue);
    templateOf(stack).resourceCountIs('AWS::SQS::Queue', 2);
  });

  test('is created after the policies of its queue and its dead-letter queue; a plain subscription leaves a window (hole 7)', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic').deliverToQueue('Orders', new Queue(stack, 'Queue'));
    const policies = Object.keys(templateOf(stack).findResources('AWS::SQS::QueuePolicy'));
    expect(policies).toHaveLength(2);
    expect(subscriptionOf(stack).DependsOn).toEqual(expect.arrayContaining(policies));

    const plain = newStack();
    const deadLetterQueue = new Queue(plain, 'Dlq');
    new Topic(plain, 'Topic').addSubscription(new SqsSubscription(new Queue(plain, 'Queue'), { deadLetterQueue }));
    expect(subscriptionOf(plain).DependsOn).toHaveLength(1);
  });

  test('is created after the permission to invoke its function', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic').deliverToFunction('Bill', newFunction(stack));
    const [permission] = only(templateOf(stack), 'AWS::Lambda::Permission');
    expect(subscriptionOf(stack).DependsOn).toContain(permission);
  });

  test('lets SNS use the key of its dead-letter queue; a plain subscription loses the message (hole 5)', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic', { masterKey: new Key(stack, 'Key') }).deliverToFunction(
      'Bill',
      newFunction(stack),
    );
    const granted = { KeyPolicy: { Statement: Match.arrayWith([keyGrant('sns.amazonaws.com')]) } };
    templateOf(stack).hasResourceProperties('AWS::KMS::Key', granted);

    const plain = newStack();
    const deadLetterQueue = new Queue(plain, 'Dlq', { encryptionMasterKey: new Key(plain, 'Key') });
    new Topic(plain, 'Topic').addSubscription(new LambdaSubscription(newFunction(plain), { deadLetterQueue }));
    templateOf(plain).resourcePropertiesCountIs('AWS::KMS::Key', granted, 0);
  });

  test('lets SNS use the key of the queue that it delivers to', () => {
    const stack = newStack();
    const queue = new Queue(stack, 'Queue', { encryptionMasterKey: new Key(stack, 'Key') });
    new DurableTopic(stack, 'Topic').deliverToQueue('Orders', queue);
    templateOf(stack).hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: { Statement: Match.arrayWith([keyGrant('sns.amazonaws.com')]) },
    });
  });

  test('says what to add by hand to a key whose policy this stack cannot write', () => {
    const stack = newStack(HERE);
    const key = Key.fromKeyArn(
      stack,
      'Key',
      'arn:aws:kms:us-east-1:111122223333:key/12345678-1234-1234-1234-123456789012',
    );
    new DurableTopic(stack, 'Topic', { masterKey: key }).deliverToFunction('Bill', newFunction(stack));
    expect(warningText(stack, 'key-policy-not-writable')).toMatch(/kms:Decrypt.*GenerateDataKey.*sns\.amazonaws\.com/);
  });

  test('says what to add by hand to an imported dead-letter queue; a plain subscription is silent (hole 6)', () => {
    const stack = newStack(HERE);
    const deadLetterQueue = Queue.fromQueueArn(stack, 'Dlq', 'arn:aws:sqs:us-east-1:111122223333:dlq');
    new DurableTopic(stack, 'Topic').deliverToFunction('Bill', newFunction(stack), { deadLetterQueue });
    expect(() => templateOf(stack)).toThrow(
      /queue Stack\/Dlq.*its dead letters are lost.*sqs:SendMessage.*aws:SourceArn.*sns\.amazonaws\.com.*GRANTED_ELSEWHERE/,
    );

    const plain = newStack(HERE);
    const silent = Queue.fromQueueArn(plain, 'Dlq', 'arn:aws:sqs:us-east-1:111122223333:dlq');
    new Topic(plain, 'Topic').addSubscription(new LambdaSubscription(newFunction(plain), { deadLetterQueue: silent }));
    templateOf(plain).resourceCountIs('AWS::SQS::QueuePolicy', 0);
    expect(warningIds(plain)).toEqual([]);
  });

  test('says what to add by hand to an imported queue or function', () => {
    const stack = newStack(HERE);
    const topic = new DurableTopic(stack, 'Topic');
    topic.deliverToQueue('Orders', Queue.fromQueueArn(stack, 'Queue', 'arn:aws:sqs:us-east-1:111122223333:orders'));
    const functionArn = 'arn:aws:lambda:us-east-1:999999999999:function:bill';
    topic.deliverToFunction('Bill', LambdaFunction.fromFunctionArn(stack, 'Function', functionArn));
    expect(warningText(stack, 'queue-policy-not-writable')).toMatch(
      /queue Stack\/Queue.*become dead letters.*sqs:SendMessage/,
    );
    expect(warningText(stack, 'function-policy-not-writable')).toMatch(
      /function Stack\/Function.*become dead letters.*lambda:InvokeFunction/,
    );
  });

  test('gets a warning about a dead-letter queue without an alarm', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Dlq');
    new DurableTopic(stack, 'Topic').deliverToFunction('Bill', newFunction(stack), { deadLetterQueue });
    expect(warningIds(stack)).toContain('dead-letters-unwatched');
    expect(subscriptionOf(stack).DependsOn).toEqual(
      expect.arrayContaining(Object.keys(templateOf(stack).findResources('AWS::SQS::QueuePolicy'))),
    );
  });

  test('to a consumer in another stack is created there, so that the stacks do not depend on each other', () => {
    const app = newApp();
    const [topics, queues] = [new Stack(app, 'Topics'), new Stack(app, 'Queues')];
    const delivery = new DurableTopic(topics, 'Topic').deliverToQueue('Orders', new Queue(queues, 'Queue'));
    expect(Stack.of(delivery.deadLetterQueue)).toBe(queues);
    templateOf(queues).resourceCountIs('AWS::SNS::Subscription', 1);
    templateOf(topics).resourceCountIs('AWS::SNS::Subscription', 0);
    expect(queues.dependencies).toContain(topics);
  });

  test('has the id that its user states, never the URL (hole 13)', () => {
    const stack = newStack();
    const { subscription } = new DurableTopic(stack, 'Topic').deliverToEndpoint('Partner', 'https://example.com/a?b=c');
    expect(subscription.node.path).toBe('Stack/Topic/Deliveries/Partner/Subscription');
  });

  test('from a FIFO topic has a FIFO dead-letter queue for a FIFO queue, and a standard one for a standard queue', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', { fifo: true });
    expect(topic.deliverToQueue('Fifo', new Queue(stack, 'Fifo', { fifo: true })).deadLetterQueue.fifo).toBe(true);
    expect(topic.deliverToQueue('Standard', new Queue(stack, 'Standard')).deadLetterQueue.fifo).toBe(false);
    templateOf(stack).resourceCountIs('AWS::SNS::Subscription', 2);
  });

  test.each([
    ['eu-south-1', 'us-east-1', 'sns.eu-south-1.amazonaws.com'],
    ['us-east-1', 'eu-south-1', 'sns.eu-south-1.amazonaws.com'],
    ['us-east-1', 'eu-west-1', 'sns.amazonaws.com'],
  ])('from %s to a function in %s is from the principal %s (hole 12)', (from, to, principal) => {
    const app = newApp();
    const here = new Stack(app, 'Here', { env: { ...HERE, region: from } });
    const there = new Stack(app, 'There', { env: { ...HERE, region: to } });
    const topic = new DurableTopic(here, 'Topic', { topicName: 'orders' });
    const deadLetterQueue = new DeadLetterQueue(here, 'Dlq', { queueName: 'dlq' });
    topic.deliverToFunction('Bill', newFunction(there), { deadLetterQueue });
    templateOf(there).hasResourceProperties('AWS::Lambda::Permission', { Principal: principal });
    templateOf(there).hasResourceProperties('AWS::SNS::Subscription', { Region: from });
  });

  test('passes on raw delivery and filters by attribute or by body', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    const allowlist = ['confirmed', 'canceled'];
    topic.deliverToQueue('Raw', new Queue(stack, 'A'), {
      rawMessageDelivery: true,
      filterPolicy: { 'order-status': SubscriptionFilter.stringFilter({ allowlist }) },
    });
    topic.deliverToQueue('Body', new Queue(stack, 'B'), {
      filterPolicyWithMessageBody: {
        order: FilterOrPolicy.policy({ status: FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ allowlist })) }),
      },
    });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      RawMessageDelivery: true,
      FilterPolicy: { 'order-status': allowlist },
      FilterPolicyScope: Match.absent(),
    });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      FilterPolicy: { order: { status: allowlist } },
      FilterPolicyScope: 'MessageBody',
    });
  });
});

describe('A DurableTopic', () => {
  test('is a Topic with the same logical id as a plain Topic in its place', () => {
    const [ours, plain] = [newStack(), newStack()];
    new DurableTopic(ours, 'Topic');
    new Topic(plain, 'Topic');
    expect(only(templateOf(ours), 'AWS::SNS::Topic')[0]).toBe(only(templateOf(plain), 'AWS::SNS::Topic')[0]);
  });

  test('accepts messages only over TLS', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic');
    templateOf(stack).hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({ Effect: 'Allow' }),
        ],
      },
    });
  });

  test('admits the services of its own account, as the default policy of a plain topic does', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    templateOf(stack).hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          {
            Sid: 'ServicesOfOwner',
            Effect: 'Allow',
            Principal: { AWS: '*' },
            Action: 'sns:Publish',
            Resource: stack.resolve(topic.topicArn),
            Condition: { StringEquals: { 'aws:SourceOwner': { Ref: 'AWS::AccountId' } } },
          },
        ]),
      },
    });
  });

  test('has SNS’s default policy if it needs no other', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic', { enforceSSL: false });
    templateOf(stack).resourceCountIs('AWS::SNS::TopicPolicy', 0);
  });

  test('has an alarm on dead letters that are lost themselves, which notifies the ops topic', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    const alarmActions = [opsTopic(stack)];
    new DurableTopic(stack, 'Topic', { alarmActions }).deliverToQueue('Orders', new Queue(stack, 'Queue'));
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SNS',
      MetricName: 'NumberOfNotificationsFailedToRedriveToDlq',
      Statistic: 'Sum',
      Period: 60,
      Threshold: 0,
      TreatMissingData: 'notBreaching',
      AlarmActions: [stack.resolve(alarmActions[0]?.topicArn)],
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('has metric methods for dead letters that SNS sent and could not send (hole 11)', () => {
    const topic = new DurableTopic(newStack(), 'Topic');
    expect(topic.metricNotificationsRedrivenToDlq().metricName).toBe('NumberOfNotificationsRedrivenToDlq');
    const lost = topic.metricNotificationsFailedToRedriveToDlq({ period: Duration.minutes(1) });
    expect([lost.metricName, lost.statistic]).toEqual(['NumberOfNotificationsFailedToRedriveToDlq', 'Sum']);
    expect(Object.keys(lost.dimensions ?? {})).toEqual(['TopicName']);
  });

  test('gets a warning if its alarms notify nothing', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    new DurableTopic(stack, 'Topic').deliverToQueue('Orders', new Queue(stack, 'Queue'));
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });

  test('secures a plain subscription that has a dead-letter queue', () => {
    const stack = newStack();
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey: new Key(stack, 'Key') });
    const topic = new DurableTopic(stack, 'Topic');
    topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue }));
    expect(deadLetterQueue.arrivalsAlarm).toBeDefined();
    const policies = Object.keys(templateOf(stack).findResources('AWS::SQS::QueuePolicy'));
    expect(subscriptionOf(stack).DependsOn).toEqual(expect.arrayContaining(policies));
  });
});

describe('The delivery status logging of a DurableTopic', () => {
  test('covers the protocols in use, each once, successes and failures', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', { deliveryStatusLogging: { successSampleRate: 25 } });
    topic.deliverToQueue('A', new Queue(stack, 'A'));
    topic.deliverToQueue('B', new Queue(stack, 'B'));
    topic.deliverToEndpoint('C', 'https://example.com');
    const [, { Properties }] = only(templateOf(stack), 'AWS::SNS::Topic');
    const [roleId] = only(templateOf(stack), 'AWS::IAM::Role');
    const role = { 'Fn::GetAtt': [roleId, 'Arn'] };
    const roles = { SuccessFeedbackRoleArn: role, SuccessFeedbackSampleRate: '25', FailureFeedbackRoleArn: role };
    expect(Properties['DeliveryStatusLogging']).toEqual([
      { Protocol: 'sqs', ...roles },
      { Protocol: 'http/s', ...roles },
    ]);
  });

  test('writes to log groups that exist before the first delivery, with a retention', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic').deliverToQueue('A', new Queue(stack, 'A'));
    const template = templateOf(stack);
    const groups = template.findResources('AWS::Logs::LogGroup', { Properties: { RetentionInDays: 90 } });
    const prefix = ['sns/', { Ref: 'AWS::Region' }, '/', { Ref: 'AWS::AccountId' }, '/'];
    const topicName = { 'Fn::GetAtt': [only(template, 'AWS::SNS::Topic')[0], 'TopicName'] };
    expect(Object.values(groups).map(({ Properties }) => Properties.LogGroupName['Fn::Join'][1])).toEqual([
      [...prefix, topicName],
      [...prefix, topicName, '/Failure'],
    ]);
    expect(subscriptionOf(stack).DependsOn).toEqual(expect.arrayContaining(Object.keys(groups)));
  });

  test('has a role with the five documented permissions, for those two log groups alone', () => {
    const stack = newStack();
    new DurableTopic(stack, 'Topic');
    const template = templateOf(stack);
    const resources = Object.keys(template.findResources('AWS::Logs::LogGroup'));
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          {
            Action: ['CreateLogGroup', 'CreateLogStream', 'PutLogEvents', 'PutMetricFilter', 'PutRetentionPolicy'].map(
              action => `logs:${action}`,
            ),
            Effect: 'Allow',
            Resource: resources.map(id => ({ 'Fn::GetAtt': [id, 'Arn'] })),
          },
        ],
      },
    });
  });

  test('does not change a configuration of the user', () => {
    const stack = newStack();
    const failureFeedbackRole = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
    const loggingConfigs = [{ protocol: LoggingProtocol.SQS, failureFeedbackRole }];
    new DurableTopic(stack, 'Topic', { loggingConfigs }).deliverToQueue('A', new Queue(stack, 'A'));
    const [, { Properties }] = only(templateOf(stack), 'AWS::SNS::Topic');
    expect(Properties['DeliveryStatusLogging']).toEqual([
      { Protocol: 'sqs', FailureFeedbackRoleArn: stack.resolve(failureFeedbackRole.roleArn) },
    ]);
    expect(warningIds(stack)).not.toContain('logging-without-role');
  });

  test('is a warning without a role, because SNS then logs nothing; a plain topic has none (hole 3)', () => {
    const [ours, plain] = [newStack(), newStack()];
    new DurableTopic(ours, 'Topic').addLoggingConfig({ protocol: LoggingProtocol.LAMBDA });
    new Topic(plain, 'Topic').addLoggingConfig({ protocol: LoggingProtocol.LAMBDA });
    for (const stack of [ours, plain]) {
      templateOf(stack).hasResourceProperties('AWS::SNS::Topic', { DeliveryStatusLogging: [{ Protocol: 'lambda' }] });
    }
    expect(warningIds(ours)).toContain('logging-without-role');
    const spoken = Annotations.fromStack(plain).findWarning('*', Match.anyValue());
    expect(spoken).toEqual([]);
  });

  test('accepts a success sample rate that is known only at deployment', () => {
    const stack = newStack();
    const deliveryStatusLogging = { successSampleRate: numberToken() };
    new DurableTopic(stack, 'Topic', { deliveryStatusLogging }).deliverToQueue('A', new Queue(stack, 'A'));
    templateOf(stack).hasResourceProperties('AWS::SNS::Topic', {
      DeliveryStatusLogging: [Match.objectLike({ SuccessFeedbackSampleRate: { Ref: 'AWS::AccountId' } })],
    });
  });

  test('can be switched off', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
    topic.deliverToQueue('A', new Queue(stack, 'A'));
    expect(topic.deliveryStatus).toBeUndefined();
    templateOf(stack).resourceCountIs('AWS::Logs::LogGroup', 0);
    templateOf(stack).resourcePropertiesCountIs('AWS::SNS::Topic', { DeliveryStatusLogging: Match.anyValue() }, 0);
  });
});
