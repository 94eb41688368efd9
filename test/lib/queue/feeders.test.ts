import { CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import type { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Key } from 'aws-cdk-lib/aws-kms';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { KinesisEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Schedule as OneSchedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { type IQueue, Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  AlarmSet,
  DeadLetterAccess,
  DeadLetterFeederKind,
  DeadLetterQueue,
  type DeadLetterQueueProps,
  DurableTopic,
  FailedEventForm,
  FunctionFailures,
  type IDeadLetterQueue,
  ImportedDeadLetterQueue,
  ProcessingQueue,
} from '../../../lib';
import { newRule, newSchedule } from '../../support/feeders';
import { inlineFunction, newFunction } from '../../support/inline-function';
import {
  allowPlainConsumers,
  HERE,
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  warningIds,
  warningText,
} from '../support';

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

/** Everything that can feed a dead-letter queue without a `fedBy…` call. */
const UNKNOWN: [string, string, (queue: DeadLetterQueue, stack: Stack) => unknown][] = [
  [
    'a plain queue, whose moves SQS does not count as sent',
    'Stack/Source/Resource sends to it: call fedBy',
    (queue, stack) => new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } }),
  ],
  [
    'a plain subscription',
    'sends to it: call fedBy',
    (deadLetterQueue, stack) =>
      new Topic(stack, 'Topic').addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue })),
  ],
  [
    'a plain function',
    'Stack/Function/Resource sends to it: call fedBy',
    (deadLetterQueue, stack) => newFunction(stack, { deadLetterQueue }),
  ],
  [
    'a destination for the failures of a function',
    'Stack/Function/EventInvokeConfig/Resource sends to it: call fedBy',
    (queue, stack) => newFunction(stack, { onFailure: new SqsDestination(queue) }),
  ],
  [
    'an event source mapping',
    'sends to it: call fedBy',
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
    'Stack/Rule/Resource sends to it: call fedBy with it',
    (deadLetterQueue, stack) => newRule(stack, deadLetterQueue),
  ],
  [
    'a schedule',
    'Stack/Schedule/Resource sends to it: call fedBy',
    (deadLetterQueue, stack) => newSchedule(stack, { deadLetterQueue }),
  ],
  [
    'a pipe',
    'Stack/Pipe sends to it: call fedByRole with its role',
    (queue, stack) => newPipe(stack, queue, newRole(stack)),
  ],
];

describe('At synthesis, a DeadLetterQueue gets a warning about feeders that it was not told of:', () => {
  test.each(UNKNOWN)('%s', (_, advice, feed) => {
    const stack = newStack();
    feed(watched(stack), stack);
    expect(warningIds(stack)).toEqual(['feeder-unknown']);
    expect(warningText(stack, 'feeder-unknown')).toContain(advice);
  });

  test('anywhere in the app', () => {
    const app = newApp();
    const [here, there] = [new Stack(app, 'Stack'), new Stack(app, 'There')];
    const queue = watched(here);
    new Queue(there, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    expect(warningText(here, 'feeder-unknown')).toContain('There/Source/Resource sends to it');
  });

  test('but not about one that feeds the queue with the same logical id in another stack', () => {
    const app = newApp();
    const [here, there] = [new Stack(app, 'Stack'), new Stack(app, 'There')];
    watched(here);
    const plain = new Queue(there, 'Dlq');
    new Queue(there, 'Source', { deadLetterQueue: { queue: plain, maxReceiveCount: 3 } });
    expect(warningIds(here)).toEqual([]);
  });

  test('one for each unknown feeder, next to known ones', () => {
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

  test('but none once it has been told of them', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    const queue = watched(stack);
    const alarmActions = [opsTopic(stack, 'Other')];
    const source = new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    queue.fedBy(source);
    const topic = new DurableTopic(stack, 'Topic', { alarmActions });
    topic.deliverToQueue('Orders', new Queue(stack, 'Queue'), { deadLetterQueue: queue });
    const handler = newFunction(stack, { onFailure: new SqsDestination(queue) });
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: queue, alarmActions });
    queue.fedBy(newRule(stack, queue));
    queue.fedBy(newSchedule(stack, { deadLetterQueue: queue }));
    const role = newRole(stack);
    newPipe(stack, queue, role);
    queue.fedByRole(role);
    expect(warningIds(stack)).toEqual([]);
  });
});

describe('If the retention of its source is unknown, the age alarm of a DeadLetterQueue', () => {
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
    watched(stack).fedBy(source(stack));
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 0,
    });
  });
});

/** Returns the statements for a service in the queue policy and the key policy, without ids and ARNs. */
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
  test('fed by a rule admits EventBridge once, for that rule alone, in the policies of the queue and of the key', () => {
    const stack = newStack();
    const queue = encrypted(stack);
    const rule = newRule(stack, queue);
    queue.fedBy(rule);
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

  test('fed by a schedule admits the schedule’s role, and the schedule is created after that permission', () => {
    const stack = newStack();
    const queue = encrypted(stack);
    queue.fedBy(newSchedule(stack, { deadLetterQueue: queue }));
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
  ])('fed by a schedule finds the schedule’s role: %s', (_, roleIn, policy) => {
    const stack = newStack(HERE);
    const queue = watched(stack);
    queue.fedBy(newSchedule(stack, { role: roleIn(stack), deadLetterQueue: queue }));
    templateOf(stack).hasResourceProperties('AWS::IAM::Policy', policy);
  });

  test('fed by a role lets that role send and use the key', () => {
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

  test('watches the dead letters of a rule or schedule; a plain queue there gets a warning', () => {
    const stack = newStack();
    const plain = new Queue(stack, 'Plain');
    new ProcessingQueue(stack, 'Source', {
      deadLetterQueue: { queue: plain, maxReceiveCount: 5 },
      alarmActions: [opsTopic(stack)],
    });
    expect(warningIds(stack)).toEqual(['dead-letters-unwatched']);
  });
});

const ARN = 'arn:aws:sqs:us-east-1:111122223333:shared-dlq';

function handlerIn(stack: Stack, id = 'Function') {
  return inlineFunction(stack, id, 'exports.handler = async () => {};');
}

function imported(stack: Stack): ImportedDeadLetterQueue {
  const access = DeadLetterAccess.GRANTED_ELSEWHERE;
  return new ImportedDeadLetterQueue(stack, 'Dlq', { queue: Queue.fromQueueArn(stack, 'Shared', ARN), access });
}

/** Everything that can feed a queue. */
function feedersIn(stack: Stack) {
  const schedule = Schedule.rate(Duration.hours(1));
  return {
    topic: new Topic(stack, 'Topic'),
    handler: handlerIn(stack),
    source: new Queue(stack, 'Source'),
    rule: new Rule(stack, 'Rule', { schedule }),
    schedule: new OneSchedule(stack, 'Schedule', {
      schedule: ScheduleExpression.rate(Duration.hours(1)),
      target: new SqsSendMessage(new Queue(stack, 'Target')),
    }),
    role: new Role(stack, 'Role', { assumedBy: new ServicePrincipal('pipes.amazonaws.com') }),
  };
}

describe.each<[string, (stack: Stack) => IDeadLetterQueue]>([
  ['A DeadLetterQueue', stack => new DeadLetterQueue(stack, 'Dlq')],
  ['An ImportedDeadLetterQueue', imported],
])('%s', (_, queueIn) => {
  test('names its feeders, each once, in the order in which they were added', () => {
    const stack = newStack(HERE);
    const queue = queueIn(stack);
    const { topic, handler, source, rule, schedule, role } = feedersIn(stack);
    expect(queue.feeders).toEqual([]);
    queue.fedBy(topic);
    queue.fedBy(handler);
    queue.fedBy(source);
    queue.fedBy(topic);
    queue.fedBy(rule);
    queue.fedBy(schedule);
    queue.fedByRole(role);
    expect(queue.feeders).toEqual([
      { kind: DeadLetterFeederKind.TOPIC, construct: topic },
      { kind: DeadLetterFeederKind.FUNCTION, construct: handler },
      { kind: DeadLetterFeederKind.QUEUE, construct: source },
      { kind: DeadLetterFeederKind.RULE, construct: rule },
      { kind: DeadLetterFeederKind.SCHEDULE, construct: schedule },
      { kind: DeadLetterFeederKind.ROLE, construct: role },
    ]);
  });

  test('names no construct for a feeder that is not a construct', () => {
    const queue = queueIn(newStack(HERE));
    queue.fedByRole(new ServicePrincipal('pipes.amazonaws.com'));
    expect(queue.feeders).toEqual([{ kind: DeadLetterFeederKind.ROLE }]);
  });

  test('returns a dependency on the feeder’s permission, also when it is added again', () => {
    const stack = newStack(HERE);
    const queue = queueIn(stack);
    const { topic, handler, source, rule, schedule, role } = feedersIn(stack);
    const access = [
      queue.fedBy(topic),
      queue.fedBy(handler),
      queue.fedBy(source),
      queue.fedBy(rule),
      queue.fedBy(schedule),
      queue.fedByRole(role),
    ];
    new Construct(stack, 'Waiting').node.addDependency(...access);
    const late = new Queue(stack, 'Late');
    late.node.addDependency(queue.fedByRole(role));
    const [, { DependsOn }] = only(templateOf(stack), 'AWS::SQS::Queue', { DependsOn: Match.anyValue() });
    expect(DependsOn).toEqual([stack.getLogicalId(policyOf(role))]);
  });
});

function policyOf(role: Role) {
  const resource = role.node.findChild('DefaultPolicy').node.defaultChild;
  if (!resource || !('logicalId' in resource)) throw new Error('It has none.');
  return resource as Parameters<Stack['getLogicalId']>[0];
}

function descriptionOf(stack: Stack, metric: string): string {
  const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::Alarm', {
    Properties: { MetricName: metric, Period: 60, AlarmDescription: Match.stringLikeRegexp('dead-letters') },
  });
  return String(Properties['AlarmDescription']).replace(/ https:.*/, '');
}

describe('The alarms on the arrivals of a DeadLetterQueue name the senders:', () => {
  test('each feeder, and a later feeder changes neither name nor logical id of the alarm', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq', { queueName: 'dlq' });
    const { topic, handler, rule, schedule, role } = feedersIn(stack);
    queue.fedBy(topic);
    queue.fedBy(handler);
    queue.fedBy(topic);
    queue.fedBy(rule);
    queue.fedBy(schedule);
    queue.fedByRole(role);
    expect(descriptionOf(stack, 'NumberOfMessagesSent')).toBe(
      'A dead letter was sent to this queue: topic Stack/Topic could not deliver a message, or function Stack/Function failed on an event, or rule Stack/Rule could not deliver an event, or schedule Stack/Schedule could not deliver an event, or Stack/Role gave up on a message.',
    );
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'dlq-Arrivals' });
    expect(Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm'))).toContain(
      'DlqArrivalsAlarmF771BB5E',
    );
  });

  test('as many feeders as fit into the 1,024 characters of CloudWatch', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    for (let i = 0; i < 40; i += 1) queue.fedBy(new Topic(stack, `Topic${i}`));
    const description = descriptionOf(stack, 'NumberOfMessagesSent');
    expect(description).toContain('topic Stack/Topic11 could not deliver a message');
    expect(description).toMatch(/, or \d+ others\.$/);
    expect(description.length).toBeLessThan(750);
  });

  test('the source queue, in the alarms on messages that SQS moves', () => {
    const stack = newStack();
    const { watchedDeadLetters } = new ProcessingQueue(stack, 'Work', { alarms: AlarmSet.ALL });
    const moved = 'SQS moved a message to this queue after its last receive from queue Stack/Work.';
    const growth = watchedDeadLetters?.growthAlarm?.node.defaultChild as CfnAlarm;
    expect(stack.resolve(growth.alarmDescription)).toMatch(new RegExp(`^${moved} https:`));
    expect(descriptionOf(stack, 'ApproximateNumberOfMessagesVisible')).toBe(
      `${moved} The alarm stays in ALARM until the queue is empty, and has no actions.`,
    );
  });
});

describe('The age alarm of a DeadLetterQueue', () => {
  test.each<[string, DeadLetterQueueProps, string]>([
    ['is sure where the retention is known', {}, 'The oldest dead letter expires soon. It is then lost.'],
    [
      'says so where it is not',
      { retentionPeriod: Duration.seconds(numberToken()) },
      'There is a dead letter. Its retention was not known before deployment, so it may expire soon. It is then lost.',
    ],
  ])('%s', (_, props, description) => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', props);
    expect(descriptionOf(stack, 'ApproximateAgeOfOldestMessage')).toBe(description);
  });

  test('says that it does not know the retention of a source', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq').fedBy(Queue.fromQueueArn(stack, 'Source', ARN));
    expect(descriptionOf(stack, 'ApproximateAgeOfOldestMessage')).toMatch(
      /^There is a dead letter. Its retention was not known/,
    );
  });
});

describe('An anchor queue of a DeadLetterQueue', () => {
  function anchored(stack: Stack): DeadLetterQueue {
    const queue = new DeadLetterQueue(stack, 'Dlq');
    queue.fedBy(new Topic(stack, 'Topic'));
    const deadLetterQueue = { queue, maxReceiveCount: 1_000 };
    queue.anchoredBy(new Queue(stack, 'Anchor', { queueName: 'anchor', deadLetterQueue }));
    return queue;
  }

  test('may name the DeadLetterQueue and is no feeder: no alarm, no expiry, no warning', () => {
    const stack = newStack(HERE);
    const queue = anchored(stack);
    expect(queue.feeders.map(({ kind }) => kind)).toEqual([DeadLetterFeederKind.TOPIC]);
    expect(queue.waitingAlarm).toBeUndefined();
    const template = templateOf(stack);
    const sourceQueueArns = [stack.resolve(stack.formatArn({ service: 'sqs', resource: 'anchor' }))];
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns },
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 11 * 86_400,
    });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });

  test('of an imported DeadLetterQueue must be admitted by the owner', () => {
    const stack = newStack(HERE);
    const queue = imported(stack);
    queue.anchoredBy(new Queue(stack, 'Anchor'));
    expect(queue.feeders).toEqual([]);
    expect(queue.waitingAlarm).toBeUndefined();
  });
});

describe('A redrive-allow policy of the user', () => {
  test.each<[string, (stack: Stack, source: Queue) => DeadLetterQueueProps]>([
    ['lets in the source', (_, source) => ({ redriveAllowPolicy: { sourceQueues: [source] } })],
    ['lets in everybody', () => ({ redriveAllowPolicy: { redrivePermission: RedrivePermission.ALLOW_ALL } })],
    [
      'names a queue that may be the source',
      stack => ({ redriveAllowPolicy: { sourceQueues: [Queue.fromQueueArn(stack, 'Shared', ARN)] } }),
    ],
  ])('causes no problem if it %s', (_, props) => {
    const stack = newStack();
    const source = new Queue(stack, 'Source');
    const queue = new DeadLetterQueue(stack, 'Dlq', props(stack, source));
    expect(problemsOf(() => queue.fedBy(source))).toEqual([]);
  });

  test('does not refuse a second source if a DeadLetterQueue wrote it', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    for (const queueName of ['a', 'b']) queue.fedBy(new Queue(stack, queueName, { queueName }));
    const [, { Properties }] = only(templateOf(stack), 'AWS::SQS::Queue', {
      Properties: { RedriveAllowPolicy: Match.anyValue() },
    });
    expect(Properties['RedriveAllowPolicy']).toMatchObject({
      sourceQueueArns: [expect.anything(), expect.anything()],
    });
  });
});

test.each<[string, (queue: IDeadLetterQueue, topic: Topic) => unknown, string[]]>([
  ['warned of in both while neither knows of it', () => undefined, ['One', 'Other']],
  ['known in both once one is told', (queue, topic) => queue.fedBy(topic), []],
])('A queue that two stacks import has a feeder that is %s', (_, tell, warned) => {
  const app = newApp();
  const [one, other] = [new Stack(app, 'One', { env: HERE }), new Stack(app, 'Other', { env: HERE })];
  imported(one);
  const deadLetterQueue = imported(other);
  const topic = new Topic(other, 'Topic');
  topic.addSubscription(new SqsSubscription(new Queue(other, 'Queue'), { deadLetterQueue }));
  tell(deadLetterQueue, topic);
  const found = [one, other].filter(stack => warningIds(stack).includes('feeder-unknown'));
  expect(found.map(({ stackName }) => stackName)).toEqual(warned);
});

describe('The dead letters of a queue that is removed from the app', () => {
  const policies = (stack: Stack) =>
    Object.values(templateOf(stack).findResources('AWS::SQS::Queue')).map(it => [
      it['DeletionPolicy'],
      it['UpdateReplacePolicy'],
    ]);

  test('stay, also if the first deployment is rolled back', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq');
    new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack) });
    new DurableTopic(stack, 'Topic').deliverToEndpoint('Partner', 'https://partner.example.com');
    expect(policies(stack)).toEqual(Array.from({ length: 3 }, () => ['Retain', 'Retain']));
  });

  test('are deleted with a queue of a stated name if its first deployment is rolled back, which can then be repeated', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', { queueName: 'orders-dlq' });
    expect(policies(stack)).toEqual([['RetainExceptOnCreate', 'Retain']]);
  });

  test('follow the removal policy that is stated', () => {
    const stack = newStack();
    const removalPolicy = RemovalPolicy.DESTROY;
    new DeadLetterQueue(stack, 'Dlq', { removalPolicy });
    new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack), removalPolicy });
    new ProcessingQueue(stack, 'Work', { removalPolicy });
    expect(policies(stack)).toEqual(Array.from({ length: 4 }, () => ['Delete', 'Delete']));
  });
});

describe('A dead-letter queue of another kind', () => {
  test('gives FunctionFailures access, as any dead-letter queue does, and gets a warning that no alarm watches it', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Plain', { encryption: QueueEncryption.SQS_MANAGED });
    const failures = new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack), deadLetterQueue });
    expect(failures.deadLetterQueue).toBe(deadLetterQueue);
    expect(failures.watchedDeadLetters).toBeUndefined();
    templateOf(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'sqs:SendMessage' })] },
    });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody', 'dead-letters-unwatched']);
  });

  test('makes the destination of a function wait for the permission', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Plain');
    const handler = handlerIn(stack);
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue, keptAs: FailedEventForm.RECORD });
    const [, { DependsOn }] = only(templateOf(stack), 'AWS::Lambda::EventInvokeConfig');
    expect(DependsOn).toEqual([expect.stringMatching(/^FunctionServiceRoleDefaultPolicy/)]);
  });

  test('with a key of another account gets a warning too', () => {
    const stack = newStack(HERE);
    const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:us-east-1:999999999999:key/letters');
    const queue = new Queue(stack, 'Plain', { encryptionMasterKey });
    new ProcessingQueue(stack, 'Work', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    expect(warningText(stack, 'key-of-another-account')).toContain(
      'Stack/Plain is encrypted with a key of account 999999999999',
    );
  });
});

describe('A construct with a dead-letter queue', () => {
  test('lists it with its alarms and grants, if it has any', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    const work = new ProcessingQueue(stack, 'Work', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    const failures = new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack), deadLetterQueue: queue });
    expect([work.watchedDeadLetters, failures.watchedDeadLetters]).toEqual([queue, queue]);
    const plain = { queue: new Queue(stack, 'Plain'), maxReceiveCount: 5 };
    expect(new ProcessingQueue(stack, 'Other', { deadLetterQueue: plain }).watchedDeadLetters).toBeUndefined();
  });

  test('reports all its problems and those of other constructs in one error', () => {
    const stack = newStack();
    const fifo = new DeadLetterQueue(stack, 'Fifo', { fifo: true });
    const handler = handlerIn(stack);
    expect(
      problemsOf(() => new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: fifo, retryAttempts: 3 })),
    ).toEqual([
      'Stack/Failures has 2 problems:',
      '  - deadLetterQueue.fifo must be false, because Lambda accepts only a standard queue as dead-letter queue, got true',
      '  - retryAttempts must be a whole number from 0 to 2, got 3',
    ]);
    const deadLetterQueue = { queue: fifo, maxReceiveCount: 0 };
    expect(problemsOf(() => new ProcessingQueue(stack, 'Work', { deadLetterQueue }))).toHaveLength(3);
  });
});
