import { CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Key } from 'aws-cdk-lib/aws-kms';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { KinesisEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, ProcessingQueue } from '../../lib';
import { newRule, newSchedule } from '../support/feeders';
import { newFunction } from '../support/inline-function';
import {
  allowPlainConsumers,
  HERE,
  newApp,
  newStack,
  only,
  opsTopic,
  templateOf,
  warningIds,
  warningText,
} from './support';

function watched(stack: Stack): DeadLetterQueue {
  return new DeadLetterQueue(stack, 'Dlq', { alarmActions: [opsTopic(stack)] });
}

function newRole(stack: Stack): Role {
  return new Role(stack, 'Role', { assumedBy: new ServicePrincipal('pipes.amazonaws.com') });
}

/** A pipe from a stream. */
function newPipe(stack: Stack, queue: IQueue, { roleArn }: Role): CfnPipe {
  const deadLetterConfig = { arn: queue.queueArn };
  const kinesisStreamParameters = { startingPosition: 'LATEST', deadLetterConfig };
  const [source, target] = ['kinesis:us-east-1:111122223333:stream/orders', 'sqs:us-east-1:111122223333:orders'];
  return new CfnPipe(stack, 'Pipe', {
    source: `arn:aws:${source}`,
    target: `arn:aws:${target}`,
    roleArn,
    sourceParameters: { kinesisStreamParameters },
  });
}

/** Everything that can feed a dead-letter queue without a word to it. */
const UNKNOWN: [string, string, (queue: DeadLetterQueue, stack: Stack) => unknown][] = [
  [
    'a plain queue, whose moves SQS does not count as sent',
    'Stack/Source/Resource sends here: call fedByQueue',
    (queue, stack) => new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } }),
  ],
  [
    'a plain subscription',
    'sends here: call fedByTopic',
    (deadLetterQueue, stack) =>
      new Topic(stack, 'Topic').addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue })),
  ],
  [
    'a plain function',
    'Stack/Function/Resource sends here: call fedByFunction',
    (deadLetterQueue, stack) => newFunction(stack, { deadLetterQueue }),
  ],
  [
    'a destination for the failures of a function',
    'Stack/Function/EventInvokeConfig/Resource sends here: call fedByFunction',
    (queue, stack) => newFunction(stack, { onFailure: new SqsDestination(queue) }),
  ],
  [
    'an event source mapping',
    'sends here: call fedByFunction',
    (queue, stack) =>
      newFunction(stack).addEventSource(
        new KinesisEventSource(new Stream(stack, 'Stream'), {
          startingPosition: StartingPosition.LATEST,
          onFailure: new SqsDlq(queue),
        }),
      ),
  ],
  [
    'a rule',
    'Stack/Rule/Resource sends here: call fedByRule with it',
    (deadLetterQueue, stack) => newRule(stack, deadLetterQueue),
  ],
  [
    'a schedule',
    'Stack/Schedule/Resource sends here: call fedBySchedule',
    (deadLetterQueue, stack) => newSchedule(stack, { deadLetterQueue }),
  ],
  [
    'a pipe',
    'Stack/Pipe sends here: call fedByRole with its role',
    (queue, stack) => newPipe(stack, queue, newRole(stack)),
  ],
];

describe('A DeadLetterQueue warns at synthesis of what feeds it and is not known to it', () => {
  test.each(UNKNOWN)('%s', (_, advice, feed) => {
    const stack = newStack();
    feed(watched(stack), stack);
    expect(warningIds(stack)).toEqual(['feeder-unknown']);
    expect(warningText(stack, 'feeder-unknown')).toContain(advice);
  });

  test('wherever in the app that is', () => {
    const app = newApp();
    const [here, there] = [new Stack(app, 'Stack'), new Stack(app, 'There')];
    const queue = watched(here);
    new Queue(there, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    expect(warningText(here, 'feeder-unknown')).toContain('There/Source/Resource sends here');
  });

  test('and not of one that feeds the queue of the same logical id in another stack', () => {
    const app = newApp();
    const [here, there] = [new Stack(app, 'Stack'), new Stack(app, 'There')];
    watched(here);
    const plain = new Queue(there, 'Dlq');
    new Queue(there, 'Source', { deadLetterQueue: { queue: plain, maxReceiveCount: 3 } });
    expect(warningIds(here)).toEqual([]);
  });

  test('each by itself, beside those it knows', () => {
    const stack = newStack();
    const queue = watched(stack);
    const alarmActions = [opsTopic(stack, 'Other')];
    new ProcessingQueue(stack, 'Known', { alarmActions, deadLetterQueue: { queue, maxReceiveCount: 5 } });
    new Queue(stack, 'First', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    new Queue(stack, 'Second', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    templateOf(stack);
    const said = queue.node.metadata.map(({ data }) => String(data)).filter(text => text.includes('feeder-unknown'));
    expect(said.map(text => /what (\S+) sends/.exec(text)?.[1])).toEqual([
      'Stack/First/Resource',
      'Stack/Second/Resource',
    ]);
  });

  test('and of nothing once it has been told', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    const queue = watched(stack);
    const alarmActions = [opsTopic(stack, 'Other')];
    const source = new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    queue.fedByQueue(source);
    const topic = new DurableTopic(stack, 'Topic', { alarmActions });
    topic.deliverToQueue('Orders', new Queue(stack, 'Queue'), { deadLetterQueue: queue });
    const handler = newFunction(stack, { onFailure: new SqsDestination(queue) });
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: queue, alarmActions });
    queue.fedByRule(newRule(stack, queue));
    queue.fedBySchedule(newSchedule(stack, { deadLetterQueue: queue }));
    const role = newRole(stack);
    newPipe(stack, queue, role);
    queue.fedByRole(role);
    expect(warningIds(stack)).toEqual([]);
  });
});

describe('The age alarm of a DeadLetterQueue, where nobody knows how long its source keeps a message', () => {
  const sources: [string, (stack: Stack) => Queue | ReturnType<typeof Queue.fromQueueArn>][] = [
    ['a token hides it', stack => tokenRetention(stack)],
    [
      'the source was created elsewhere',
      stack => Queue.fromQueueArn(stack, 'Source', 'arn:aws:sqs:us-east-1:111122223333:orders'),
    ],
  ];

  function tokenRetention(stack: Stack): Queue {
    const { valueAsNumber } = new CfnParameter(stack, 'Retention', { type: 'Number', default: 1_000_000 });
    return new Queue(stack, 'Source', { retentionPeriod: Duration.seconds(valueAsNumber) });
  }

  test.each(sources)('fires at once, as after 14 days: %s', (_, source) => {
    const stack = newStack();
    watched(stack).fedByQueue(source(stack));
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 0,
    });
  });
});

/** What a queue's policy and its key's say to a service, without ids and ARNs. */
function statementsFor(stack: Stack, Service: string): object[] {
  const template = templateOf(stack);
  const policies = [
    ...Object.values(template.findResources('AWS::SQS::QueuePolicy')).map(
      ({ Properties }) => Properties.PolicyDocument,
    ),
    ...Object.values(template.findResources('AWS::KMS::Key')).map(({ Properties }) => Properties.KeyPolicy),
  ];
  const statements: Statement[] = policies.flatMap(({ Statement }) => Statement);
  return statements
    .filter(({ Principal }) => Principal.Service === Service)
    .map(({ Action, Condition }) => ({ Action, Condition }));
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Principal: { readonly Service?: string };
  readonly Condition?: object;
}

function encrypted(stack: Stack): DeadLetterQueue {
  const alarmActions = [opsTopic(stack)];
  return new DeadLetterQueue(stack, 'Dlq', { alarmActions, encryptionMasterKey: new Key(stack, 'Key') });
}

const ARRIVALS = { MetricName: 'NumberOfMessagesSent', Threshold: 0 };

describe('A DeadLetterQueue', () => {
  test('fed by a rule lets EventBridge in: by the queue for that rule alone, and once, and by the key', () => {
    const stack = newStack();
    const queue = encrypted(stack);
    const rule = newRule(stack, queue);
    queue.fedByRule(rule);
    expect(statementsFor(stack, 'events.amazonaws.com')).toEqual(
      expect.arrayContaining([
        { Action: 'sqs:SendMessage', Condition: { ArnEquals: { 'aws:SourceArn': stack.resolve(rule.ruleArn) } } },
        { Action: ['kms:Decrypt', 'kms:GenerateDataKey'] },
      ]),
    );
    const dead = Object.values(templateOf(stack).findResources('AWS::SQS::QueuePolicy')).map(({ Properties }) =>
      JSON.stringify(Properties),
    );
    expect(dead.join().split('AllowEventRule')).toHaveLength(2);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', ARRIVALS);
    expect(warningIds(stack)).toEqual([]);
  });

  test('fed by a schedule lets its role in, and the schedule wait for that', () => {
    const stack = newStack();
    const queue = encrypted(stack);
    queue.fedBySchedule(newSchedule(stack, { deadLetterQueue: queue }));
    const template = templateOf(stack);
    const [policyId, { Properties }] = only(template, 'AWS::IAM::Policy');
    const text = JSON.stringify(Properties['PolicyDocument']);
    expect(text).toContain('["kms:Decrypt","kms:GenerateDataKey"]');
    const [, { DependsOn }] = only(template, 'AWS::Scheduler::Schedule');
    expect(DependsOn).toContain(policyId);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', ARRIVALS);
  });

  test.each<[string, (stack: Stack) => IRole, object]>([
    [
      'by its ARN',
      stack => Role.fromRoleArn(stack, 'Theirs', 'arn:aws:iam::111122223333:role/schedules'),
      { Roles: ['schedules'] },
    ],
    ['of this app', newRole, { Roles: [{ Ref: Match.stringLikeRegexp('^Role') }] }],
  ])('fed by a schedule finds its role: %s', (_, roleIn, policy) => {
    const stack = newStack(HERE);
    const queue = watched(stack);
    queue.fedBySchedule(newSchedule(stack, { role: roleIn(stack), deadLetterQueue: queue }));
    templateOf(stack).hasResourceProperties('AWS::IAM::Policy', policy);
  });

  test('fed by a role lets it send, and use the key', () => {
    const stack = newStack();
    const queue = encrypted(stack);
    queue.fedByRole(newRole(stack));
    templateOf(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Action: 'sqs:SendMessage' }),
          Match.objectLike({ Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
        ],
      },
    });
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', ARRIVALS);
  });

  test('watches what a plain queue does not: that one gets a warning', () => {
    const stack = newStack();
    const plain = new Queue(stack, 'Plain');
    new ProcessingQueue(stack, 'Source', {
      deadLetterQueue: { queue: plain, maxReceiveCount: 5 },
      alarmActions: [opsTopic(stack)],
    });
    expect(warningIds(stack)).toEqual(['dead-letters-unwatched']);
  });
});
