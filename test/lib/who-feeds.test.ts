import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Schedule as OneSchedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
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
} from '../../lib';
import { inlineFunction } from '../support/inline-function';
import { HERE, newApp, newStack, numberToken, only, problemsOf, templateOf, warningIds, warningText } from './support';

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
  test('says who feeds it, each once, in the order in which it was told', () => {
    const stack = newStack(HERE);
    const queue = queueIn(stack);
    const { topic, handler, source, rule, schedule, role } = feedersIn(stack);
    expect(queue.feeders).toEqual([]);
    queue.fedByTopic(topic);
    queue.fedByFunction(handler);
    queue.fedByQueue(source);
    queue.fedByTopic(topic);
    queue.fedByRule(rule);
    queue.fedBySchedule(schedule);
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

  test('names no construct where who feeds it is none', () => {
    const queue = queueIn(newStack(HERE));
    queue.fedByRole(new ServicePrincipal('pipes.amazonaws.com'));
    expect(queue.feeders).toEqual([{ kind: DeadLetterFeederKind.ROLE }]);
  });

  test('answers each time with something to wait for: whoever has a role waits for its policy', () => {
    const stack = newStack(HERE);
    const queue = queueIn(stack);
    const { topic, handler, source, rule, schedule, role } = feedersIn(stack);
    const access = [
      queue.fedByTopic(topic),
      queue.fedByFunction(handler),
      queue.fedByQueue(source),
      queue.fedByRule(rule),
      queue.fedBySchedule(schedule),
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

describe('The alarm on dead letters that arrive names who sends them', () => {
  test('each of them, whenever it was told of, and under the same name and logical id', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq', { queueName: 'dlq' });
    const { topic, handler, rule, schedule, role } = feedersIn(stack);
    queue.fedByTopic(topic);
    queue.fedByFunction(handler);
    queue.fedByTopic(topic);
    queue.fedByRule(rule);
    queue.fedBySchedule(schedule);
    queue.fedByRole(role);
    expect(descriptionOf(stack, 'NumberOfMessagesSent')).toBe(
      'A dead letter was sent here: what topic Stack/Topic could not deliver, or what function Stack/Function failed on, or what rule Stack/Rule could not deliver, or what schedule Stack/Schedule could not deliver, or what Stack/Role gave up on.',
    );
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'dlq-Arrivals' });
    expect(Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm'))).toContain(
      'DlqArrivalsAlarmF771BB5E',
    );
  });

  test('and as many as there is room for: CloudWatch takes 1,024 characters', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    for (let i = 0; i < 40; i += 1) queue.fedByTopic(new Topic(stack, `Topic${i}`));
    const description = descriptionOf(stack, 'NumberOfMessagesSent');
    expect(description).toContain('what topic Stack/Topic12 could not deliver');
    expect(description).toMatch(/, or what \d+ others sent\.$/);
    expect(description.length).toBeLessThan(750);
  });

  test('the waiting alarm, the queue that SQS moves them from', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Work');
    expect(descriptionOf(stack, 'ApproximateNumberOfMessagesVisible')).toBe(
      'SQS moved a message here after its last receive from queue Stack/Work. The alarm stays, and tells nobody again, until the queue is empty.',
    );
  });
});

describe('The age alarm of a DeadLetterQueue', () => {
  test.each<[string, DeadLetterQueueProps, string]>([
    ['is sure where the retention is known', {}, 'The oldest dead letter expires soon, and is then gone for good.'],
    [
      'says so where it is not',
      { retentionPeriod: Duration.seconds(numberToken()) },
      'There is a dead letter, and how long it is kept was not known before deployment: it may expire soon, and is then gone for good.',
    ],
  ])('%s', (_, props, description) => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', props);
    expect(descriptionOf(stack, 'ApproximateAgeOfOldestMessage')).toBe(description);
  });

  test('says so where it is not known of a source', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq').fedByQueue(Queue.fromQueueArn(stack, 'Source', ARN));
    expect(descriptionOf(stack, 'ApproximateAgeOfOldestMessage')).toMatch(/^There is a dead letter, and how long/);
  });
});

describe('An anchor of a DeadLetterQueue', () => {
  function anchored(stack: Stack): DeadLetterQueue {
    const queue = new DeadLetterQueue(stack, 'Dlq');
    queue.fedByTopic(new Topic(stack, 'Topic'));
    const deadLetterQueue = { queue, maxReceiveCount: 1_000 };
    queue.anchoredBy(new Queue(stack, 'Anchor', { queueName: 'anchor', deadLetterQueue }));
    return queue;
  }

  test('may name it, and is no feeder: no alarm, no expiry, no warning', () => {
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

  test('of an imported one is its owner’s to let in', () => {
    const stack = newStack(HERE);
    const queue = imported(stack);
    queue.anchoredBy(new Queue(stack, 'Anchor'));
    expect(queue.feeders).toEqual([]);
    expect(queue.waitingAlarm).toBeUndefined();
  });
});

describe('A redrive-allow policy of one’s own', () => {
  test.each<[string, (stack: Stack, source: Queue) => DeadLetterQueueProps]>([
    ['lets in the source', (_, source) => ({ redriveAllowPolicy: { sourceQueues: [source] } })],
    ['lets in everybody', () => ({ redriveAllowPolicy: { redrivePermission: RedrivePermission.ALLOW_ALL } })],
    [
      'names a queue that may be the source',
      stack => ({ redriveAllowPolicy: { sourceQueues: [Queue.fromQueueArn(stack, 'Shared', ARN)] } }),
    ],
  ])('is no problem where it %s', (_, props) => {
    const stack = newStack();
    const source = new Queue(stack, 'Source');
    const queue = new DeadLetterQueue(stack, 'Dlq', props(stack, source));
    expect(problemsOf(() => queue.fedByQueue(source))).toEqual([]);
  });

  test('of our own making never keeps out a second source', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    for (const queueName of ['a', 'b']) queue.fedByQueue(new Queue(stack, queueName, { queueName }));
    const [, { Properties }] = only(templateOf(stack), 'AWS::SQS::Queue', {
      Properties: { RedriveAllowPolicy: Match.anyValue() },
    });
    expect(Properties['RedriveAllowPolicy']).toMatchObject({ sourceQueueArns: [expect.anything(), expect.anything()] });
  });
});

describe('One queue that two stacks import', () => {
  test.each<[string, (queue: IDeadLetterQueue, topic: Topic) => unknown, string[]]>([
    ['warned of in both while neither knows of it', () => undefined, ['One', 'Other']],
    ['known in both once one is told', (queue, topic) => queue.fedByTopic(topic), []],
  ])('has what feeds it %s', (_, tell, warned) => {
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
});

describe('What becomes of dead letters when their queue is taken out of the app', () => {
  const policies = (stack: Stack) =>
    Object.values(templateOf(stack).findResources('AWS::SQS::Queue')).map(it => [
      it['DeletionPolicy'],
      it['UpdateReplacePolicy'],
    ]);

  test('they stay, unless the very first deployment fails', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq');
    new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack) });
    new DurableTopic(stack, 'Topic').deliverToEndpoint('Partner', 'https://partner.example.com');
    expect(policies(stack)).toEqual(Array.from({ length: 3 }, () => ['RetainExceptOnCreate', 'Retain']));
  });

  test('they go where somebody says so', () => {
    const stack = newStack();
    const removalPolicy = RemovalPolicy.DESTROY;
    new DeadLetterQueue(stack, 'Dlq', { removalPolicy });
    new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack), removalPolicy });
    new ProcessingQueue(stack, 'Work', { removalPolicy });
    expect(policies(stack)).toEqual(Array.from({ length: 4 }, () => ['Delete', 'Delete']));
  });
});

describe('A dead-letter queue that does not look after itself', () => {
  test('is taken by FunctionFailures as by everybody: it gets its access, and a warning', () => {
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

  test('lets the records of a function wait for the permission', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Plain');
    const handler = handlerIn(stack);
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue, keptAs: FailedEventForm.RECORD });
    const [, { DependsOn }] = only(templateOf(stack), 'AWS::Lambda::EventInvokeConfig');
    expect(DependsOn).toEqual([expect.stringMatching(/^FunctionServiceRoleDefaultPolicy/)]);
  });

  test('of another account’s key is warned of, too', () => {
    const stack = newStack(HERE);
    const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:us-east-1:999999999999:key/letters');
    const queue = new Queue(stack, 'Plain', { encryptionMasterKey });
    new ProcessingQueue(stack, 'Work', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    expect(warningText(stack, 'key-of-another-account')).toContain(
      'Stack/Plain is encrypted with a key of account 999999999999',
    );
  });
});

describe('Whoever has a dead-letter queue', () => {
  test('shows it with its alarms and grants, if it has any', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    const work = new ProcessingQueue(stack, 'Work', { deadLetterQueue: { queue, maxReceiveCount: 5 } });
    const failures = new FunctionFailures(stack, 'Failures', { handler: handlerIn(stack), deadLetterQueue: queue });
    expect([work.watchedDeadLetters, failures.watchedDeadLetters]).toEqual([queue, queue]);
    const plain = { queue: new Queue(stack, 'Plain'), maxReceiveCount: 5 };
    expect(new ProcessingQueue(stack, 'Other', { deadLetterQueue: plain }).watchedDeadLetters).toBeUndefined();
  });

  test('says all that is wrong with it and with everything else at once', () => {
    const stack = newStack();
    const fifo = new DeadLetterQueue(stack, 'Fifo', { fifo: true });
    const handler = handlerIn(stack);
    expect(
      problemsOf(() => new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: fifo, retryAttempts: 3 })),
    ).toEqual([
      'Stack/Failures has 2 problems:',
      '  - deadLetterQueue.fifo must be false, for Lambda takes only a standard queue as dead-letter queue, got true',
      '  - retryAttempts must be a whole number from 0 to 2, got 3',
    ]);
    const deadLetterQueue = { queue: fifo, maxReceiveCount: 0 };
    expect(problemsOf(() => new ProcessingQueue(stack, 'Work', { deadLetterQueue }))).toHaveLength(3);
  });
});
