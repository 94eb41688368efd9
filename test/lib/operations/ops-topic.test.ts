import { Annotations, NestedStack, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import {
  CfnMicrosoftTeamsChannelConfiguration,
  CfnSlackChannelConfiguration,
  SlackChannelConfiguration,
} from 'aws-cdk-lib/aws-chatbot';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { OpsTopic } from '../../../lib';
import { keyGrant, newApp, newStack, only, templateOf, warningIds } from '../support';

/** A condition that only alarms of this account and Region meet. */
const CONDITION = {
  ArnLike: {
    'aws:SourceArn': {
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ':cloudwatch:',
          { Ref: 'AWS::Region' },
          ':',
          { Ref: 'AWS::AccountId' },
          ':alarm:*',
        ],
      ],
    },
  },
  StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
};

describe('An OpsTopic', () => {
  test('lets the alarms of its account and Region publish and use its key; a plain topic with a key receives no alarm (hole 5)', () => {
    const stack = newStack();
    new OpsTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key') });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 'sns:Publish',
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: CONDITION,
          }),
        ]),
      },
    });
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: CONDITION,
          }),
        ]),
      },
    });

    const plain = newStack();
    const topic = new Topic(plain, 'Ops', { masterKey: new Key(plain, 'Key') });
    const metric = new Metric({ namespace: 'Test', metricName: 'Test' });
    new Alarm(plain, 'Alarm', { metric, threshold: 0, evaluationPeriods: 1 }).addAlarmAction(new SnsAction(topic));
    const granted = { KeyPolicy: { Statement: Match.arrayWith([keyGrant('cloudwatch.amazonaws.com')]) } };
    templateOf(plain).resourcePropertiesCountIs('AWS::KMS::Key', granted, 0);
    templateOf(plain).resourceCountIs('AWS::SNS::TopicPolicy', 0);
  });

  test('is an alarm action', () => {
    const stack = newStack();
    const ops = new OpsTopic(stack, 'Ops');
    const metric = new Metric({ namespace: 'Test', metricName: 'Test' });
    new Alarm(stack, 'Alarm', { metric, threshold: 0, evaluationPeriods: 1 }).addAlarmAction(ops);
    const [topic] = only(templateOf(stack), 'AWS::SNS::Topic');
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmActions: [{ Ref: topic }] });
  });

  test('refuses an invalid e-mail address', () => {
    expect(() => new OpsTopic(newStack(), 'Ops', { email: 'ops' })).toThrow(
      'Stack/Ops has 1 problem:\n  - email must be one e-mail address, got "ops"',
    );
  });

  test('sends e-mail to an address that is not part of a construct id', () => {
    const stack = newStack();
    const ops = new OpsTopic(stack, 'Ops', { email: 'ops@example.com' });
    templateOf(stack).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
    expect(ops.node.findAll().filter(({ node }) => node.id.includes('@'))).toEqual([]);
  });

  test('has no subscription without an e-mail address', () => {
    const stack = newStack();
    new OpsTopic(stack, 'Ops');
    templateOf(stack).resourceCountIs('AWS::SNS::Subscription', 0);
  });

  test('refuses an e-mail address if it is FIFO', () => {
    expect(() => new OpsTopic(newStack(), 'Ops', { fifo: true, email: 'ops@example.com' })).toThrow(
      'Stack/Ops has 1 problem:\n  - email must be absent where fifo is true, got "ops@example.com"',
    );
  });
});

describe('An OpsTopic without a subscription in the app gets a warning,', () => {
  const UNHEARD = ['ops-topic-unheard'];
  const IAM_ROLE = 'arn:aws:iam::111122223333:role/Chat';
  const OPS_ARN = 'arn:aws:sns:us-east-1:111122223333:ops';

  /** Adds a chat channel of Amazon Q that is subscribed to topics. */
  const slack = (scope: Stack, snsTopicArns: string[]) =>
    new CfnSlackChannelConfiguration(scope, 'Slack', {
      configurationName: 'ops',
      iamRoleArn: IAM_ROLE,
      slackChannelId: 'C1',
      slackWorkspaceId: 'T1',
      snsTopicArns,
    });

  test('which can be acknowledged,', () => {
    const stack = newStack();
    const ops = new OpsTopic(stack, 'Ops');
    expect(warningIds(stack)).toEqual(UNHEARD);
    const acknowledged = newStack();
    Annotations.of(acknowledged).acknowledgeWarning('dead-letter-office:ops-topic-unheard', 'A pager is subscribed.');
    new OpsTopic(acknowledged, 'Ops');
    expect([ops.node.path, warningIds(acknowledged)]).toEqual(['Stack/Ops', []]);
  });

  test('also if the only chat configuration is that of another topic,', () => {
    const stack = newStack();
    new OpsTopic(stack, 'Ops', { topicName: 'ops' });
    slack(stack, [`${OPS_ARN}-of-others`]);
    expect(warningIds(stack)).toEqual(UNHEARD);
  });

  test.each<[string, (ops: OpsTopic, stack: Stack) => unknown]>([
    ['a pager', ops => ops.addSubscription(new UrlSubscription('https://pager.example.com'))],
    [
      'a queue of another stack',
      (ops, stack) => ops.addSubscription(new SqsSubscription(new Queue(new Stack(stack.node.root, 'Other'), 'Queue'))),
    ],
    ['a resource of CloudFormation’s own', (ops, stack) => slack(stack, [ops.topicArn])],
    [
      'Slack',
      (ops, stack) =>
        new SlackChannelConfiguration(stack, 'Slack', {
          slackChannelConfigurationName: 'ops',
          slackWorkspaceId: 'T1',
          slackChannelId: 'C1',
          notificationTopics: [ops],
        }),
    ],
    [
      'Microsoft Teams',
      (ops, stack) =>
        new CfnMicrosoftTeamsChannelConfiguration(stack, 'Teams', {
          configurationName: 'ops',
          iamRoleArn: IAM_ROLE,
          teamId: 'team',
          teamsChannelId: 'channel',
          teamsTenantId: 'tenant',
          snsTopicArns: [ops.topicArn],
        }),
    ],
    ['what names it by its ARN', (_, stack) => slack(stack, [OPS_ARN])],
  ])('but not if its receiver is %s', (_, subscribe) => {
    const stack = newStack();
    subscribe(new OpsTopic(stack, 'Ops', { topicName: 'ops' }), stack);
    expect(warningIds(stack)).toEqual([]);
  });
});

describe('An alarm that notifies an OpsTopic', () => {
  const metric = new Metric({ namespace: 'Test', metricName: 'Test' });
  const alarmIn = (scope: Stack) => new Alarm(scope, 'Alarm', { metric, threshold: 0, evaluationPeriods: 1 });

  test('is created after the policy that lets it publish', () => {
    const stack = newStack();
    alarmIn(stack).addAlarmAction(new OpsTopic(stack, 'Ops', { masterKey: new Key(stack, 'Key') }));
    const [policy] = only(templateOf(stack), 'AWS::SNS::TopicPolicy');
    expect(only(templateOf(stack), 'AWS::CloudWatch::Alarm')[1].DependsOn).toEqual([policy]);
  });

  test('is created after the stack of the topic if that is another stack, which must not depend on the alarm in turn', () => {
    const app = newApp();
    const [opsStack, alarms] = [new Stack(app, 'Ops'), new Stack(app, 'Alarms')];
    alarmIn(alarms).addAlarmAction(new OpsTopic(opsStack, 'Topic'));
    expect(only(templateOf(alarms), 'AWS::CloudWatch::Alarm')[1].DependsOn).toBeUndefined();
    expect(alarms.dependencies).toEqual([opsStack]);
    expect(opsStack.dependencies).toEqual([]);
  });

  test('is created after the topic in a nested stack too, which knows only the topic’s ARN', () => {
    const stack = newStack();
    alarmIn(new NestedStack(stack, 'Nested')).addAlarmAction(new OpsTopic(stack, 'Ops'));
    const [policy] = only(templateOf(stack), 'AWS::SNS::TopicPolicy');
    expect(only(templateOf(stack), 'AWS::CloudFormation::Stack')[1].DependsOn).toEqual([policy]);
  });
});
