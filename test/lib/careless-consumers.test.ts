import type { Stack } from 'aws-cdk-lib';
import { EventInvokeConfig, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FailedEventForm, FunctionFailures, ProcessingQueue } from '../../lib';
import { newFunction } from '../support/inline-function';
import { newStack, warningIds } from './support';

/** Of consumers alone. */
function warningsOf(fill: (stack: Stack, topic: DurableTopic) => unknown): string[] {
  const stack = newStack();
  fill(stack, new DurableTopic(stack, 'Topic'));
  return warningIds(stack).filter(id => id.endsWith('keeps-nothing'));
}

const records = (stack: Stack) => new SqsDestination(new Queue(stack, 'Records'));

describe('A delivery to a function', () => {
  test.each<[string, (stack: Stack, topic: DurableTopic) => unknown]>([
    ['a plain one', (stack, topic) => topic.deliverToFunction('X', newFunction(stack))],
    [
      'one that keeps successes',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { onSuccess: records(stack) })),
    ],
    ['an alias of a plain one', (stack, topic) => topic.deliverToFunction('X', newFunction(stack).addAlias('live'))],
    [
      'an alias of one whose latest version alone has a destination',
      (stack, topic) =>
        topic.deliverToFunction('X', newFunction(stack, { onFailure: records(stack) }).addAlias('live')),
    ],
    [
      'an added subscription of one',
      (stack, topic) => topic.addSubscription(new LambdaSubscription(newFunction(stack))),
    ],
  ])('that keeps nothing is warned of: %s', (_, fill) => {
    expect(warningsOf(fill)).toEqual(['function-keeps-nothing']);
  });

  test.each<[string, (stack: Stack, topic: DurableTopic) => unknown]>([
    [
      'a dead-letter queue',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { deadLetterQueueEnabled: true })),
    ],
    [
      'a destination',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { onFailure: records(stack) })),
    ],
    [
      'a configuration of its own',
      (stack, topic) => {
        const handler = newFunction(stack);
        topic.deliverToFunction('X', handler);
        return new EventInvokeConfig(stack, 'Config', { function: handler, onFailure: records(stack) });
      },
    ],
    [
      'a FunctionFailures made later',
      (stack, topic) => {
        const handler = newFunction(stack);
        topic.deliverToFunction('X', handler);
        return new FunctionFailures(stack, 'Failures', { handler });
      },
    ],
    [
      'the records of an alias',
      (stack, topic) => {
        const handler = newFunction(stack).addAlias('live');
        topic.deliverToFunction('X', handler);
        return new FunctionFailures(stack, 'Failures', { handler, keptAs: FailedEventForm.RECORD });
      },
    ],
    [
      'what nobody here knows, for it was made elsewhere',
      (stack, topic) => {
        const functionArn = 'arn:aws:lambda:us-east-1:111122223333:function:x';
        return topic.deliverToFunction('X', LambdaFunction.fromFunctionArn(stack, 'Imported', functionArn));
      },
    ],
  ])('that has %s is not', (_, fill) => {
    expect(warningsOf(fill)).toEqual([]);
  });
});

describe('A delivery to a queue', () => {
  test('without a redrive policy is warned of, an added one too', () => {
    expect(warningsOf((stack, topic) => topic.deliverToQueue('X', new Queue(stack, 'Queue')))).toEqual([
      'queue-keeps-nothing',
    ]);
    expect(warningsOf((stack, topic) => topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue'))))).toEqual(
      ['queue-keeps-nothing'],
    );
  });

  test('that keeps poison, is one for dead letters or was made elsewhere is not', () => {
    const elsewhere = 'arn:aws:sqs:us-east-1:111122223333:orders';
    expect(
      warningsOf((stack, topic) => {
        topic.deliverToQueue('A', new ProcessingQueue(stack, 'Queue'));
        topic.deliverToQueue('B', new DeadLetterQueue(stack, 'Letters'));
        topic.deliverToQueue('C', Queue.fromQueueArn(stack, 'Imported', elsewhere));
      }),
    ).toEqual([]);
  });
});
