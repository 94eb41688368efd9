import { CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Code, Function as LambdaFunction, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { KinesisEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from '../../lib';
import { newApp, newStack, templateOf, warningIds, warningText } from './support';

function newFunction(
  stack: Stack,
  props: { readonly onFailure?: SqsDestination; readonly deadLetterQueue?: Queue } = {},
) {
  const code = Code.fromInline('exports.handler = async () => {};');
  return new LambdaFunction(stack, 'Function', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code,
    ...props,
  });
}

function watched(stack: Stack): DeadLetterQueue {
  return new DeadLetterQueue(stack, 'Dlq', { alarmActions: [new OpsTopic(stack, 'Ops')] });
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
    (deadLetterQueue, stack) =>
      new Rule(stack, 'Rule', {
        schedule: Schedule.rate(Duration.hours(1)),
        targets: [new SqsQueue(new Queue(stack, 'Target'), { deadLetterQueue })],
      }),
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
    const alarmActions = [new OpsTopic(stack, 'Other')];
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
    const queue = watched(stack);
    const alarmActions = [new OpsTopic(stack, 'Other')];
    const source = new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    queue.fedByQueue(source);
    const topic = new DurableTopic(stack, 'Topic', { alarmActions });
    topic.deliverToQueue('Orders', new Queue(stack, 'Queue'), { deadLetterQueue: queue });
    const handler = newFunction(stack, { onFailure: new SqsDestination(queue) });
    new FunctionFailures(stack, 'Failures', { handler, deadLetterQueue: queue, alarmActions });
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
